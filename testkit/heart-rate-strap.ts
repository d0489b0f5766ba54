import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** Chromium on Linux has Web Bluetooth behind this switch. */
export const bluetoothArgs = ['--enable-features=WebBluetooth'];

const address = '09:09:09:09:09:09';
const uuid = (short: string) => `0000${short}-0000-1000-8000-00805f9b34fb`;
const success = 0;

/** A heart-rate strap that Chromium emulates. */
export interface Strap {
  /** Delivers a value of the characteristic Heart Rate Measurement to the page. */
  measure(value: Uint8Array): Promise<void>;
  /** Breaks the connection. */
  leave(): Promise<void>;
}

interface Operation {
  readonly type: string;
  readonly characteristicId: string;
}

/**
 * Emulates a Bluetooth adapter with one strap in range, and selects it whenever the page asks for a device. Chromium
 * cannot emulate a notification. A read fires the same event with the value, so a value is delivered by a read of the
 * characteristic to which the page has subscribed. Call it before the page is loaded.
 */
export async function emulateStrap(context: BrowserContext, page: Page, name: string): Promise<Strap> {
  const browser = await context.browser()?.newBrowserCDPSession();
  if (!browser) throw new Error('the browser context belongs to no browser');
  // The protocol types of playwright-core lack this domain.
  const send = async (method: string, params: object = {}): Promise<Record<string, string>> =>
    (browser as unknown as { send(method: string, params: object): Promise<never> }).send(
      `BluetoothEmulation.${method}`,
      params,
    );
  const on = (event: string, act: (operation: Operation) => Promise<unknown>) =>
    (browser as unknown as { on(event: string, act: (operation: Operation) => void): void }).on(
      `BluetoothEmulation.${event}`,
      (operation) => void act(operation),
    );
  let measured = '';
  await send('enable', { state: 'powered-on', leSupported: true });
  const knownServiceUuids = [uuid('180d')];
  await send('simulatePreconnectedPeripheral', { address, name, manufacturerData: [], knownServiceUuids });
  on('gattOperationReceived', async ({ type }) => {
    if (type === 'discovery') await addService(send);
    await send('simulateGATTOperationResponse', { address, type, code: success });
  });
  on('characteristicOperationReceived', async ({ type, characteristicId }) => {
    const data = type === 'read' ? { data: measured } : {};
    await send('simulateCharacteristicOperationResponse', { characteristicId, type, code: success, ...data });
  });
  await selectFirstDevice(await context.newCDPSession(page));
  await page.addInitScript(`{
    const { startNotifications } = BluetoothRemoteGATTCharacteristic.prototype;
    BluetoothRemoteGATTCharacteristic.prototype.startNotifications = function () {
      window.subscribed = this;
      return startNotifications.call(this);
    };
  }`);
  return {
    async measure(value) {
      measured = Buffer.from(value).toString('base64');
      await page.evaluate('subscribed.readValue().then(() => undefined)');
    },
    async leave() {
      await send('simulateGATTDisconnection', { address });
    },
  };
}

/** Adds the heart-rate service with its characteristic. The descriptor allows notifications. */
async function addService(send: (method: string, params: object) => Promise<Record<string, string>>): Promise<void> {
  const { serviceId } = await send('addService', { address, serviceUuid: uuid('180d') });
  const properties = { read: true, notify: true };
  const { characteristicId } = await send('addCharacteristic', {
    serviceId,
    characteristicUuid: uuid('2a37'),
    properties,
  });
  await send('addDescriptor', { characteristicId, descriptorUuid: uuid('2902') });
}

/** The prompt is announced again whenever its list changes. It may be answered once. */
async function selectFirstDevice(page: CDPSession): Promise<void> {
  const answered = new Set<string>();
  page.on('DeviceAccess.deviceRequestPrompted', ({ id, devices: [device] }) => {
    if (!device || answered.has(id)) return;
    answered.add(id);
    void page.send('DeviceAccess.selectPrompt', { id, deviceId: device.id });
  });
  await page.send('DeviceAccess.enable');
}
