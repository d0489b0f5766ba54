import { signals } from '../../../../generated/spec.js';
import { cleanIntervals } from '../../../client/src/index.js';
import { h } from '../../../ui/dom.js';
import { createStatus } from '../../../ui/parts.js';
import { nowMs } from '../service.js';
import { type HeartRateMeasurement, parseHeartRate } from './heart-rate-measurement.js';
import type { Send } from './send.js';

/** The part of Web Bluetooth that the page uses. TypeScript's library has no types for it. */
interface Bluetooth {
  requestDevice(options: {
    readonly filters: ReadonlyArray<{ readonly services: readonly string[] }>;
  }): Promise<Device>;
}

interface Device extends EventTarget {
  readonly name?: string;
  readonly gatt?: {
    connect(): Promise<Server>;
    disconnect(): void;
  };
}

interface Server {
  getPrimaryService(name: string): Promise<{ getCharacteristic(name: string): Promise<Characteristic> }>;
}

interface Characteristic extends EventTarget {
  readonly value?: DataView;
  startNotifications(): Promise<Characteristic>;
}

/** Standard names of the service 0x180D and its characteristic 0x2A37. */
const heartRateService = 'heart_rate';
const heartRateMeasurement = 'heart_rate_measurement';
/** A strap notifies every second. The service needs a reading every few seconds only. */
const sendEveryMs = 5_000;
const { heart_rate: rates } = signals;
const sourceLengthMax = 64;

/** Returns the button that connects a heart-rate strap and sends its readings. Hidden without Web Bluetooth. */
export function createStrap(send: Send, signal: AbortSignal): HTMLElement {
  // Undefined in a browser without Web Bluetooth, and on pages of plain HTTP other than localhost.
  const { bluetooth } = navigator as { readonly bluetooth?: Bluetooth };
  const status = createStatus('span.hint');
  const button = h('button.secondary.small', { type: 'button' }, 'Connect a heart-rate strap');
  const element = h('div', { hidden: !bluetooth }, h('h3', 'Heart-rate strap'), h('div.line', button, status.element));
  let device: Device | undefined;

  const disconnect = () => device?.gatt?.disconnect();
  const onDisconnected = () => {
    device = undefined;
    button.textContent = 'Connect a heart-rate strap';
    status.say('Disconnected.');
  };
  const connect = async (available: Bluetooth) => {
    status.say('Connecting …');
    device = await available.requestDevice({ filters: [{ services: [heartRateService] }] });
    device.addEventListener('gattserverdisconnected', onDisconnected, { once: true });
    const server = await device.gatt?.connect();
    const characteristic = await (
      await server?.getPrimaryService(heartRateService)
    )?.getCharacteristic(heartRateMeasurement);
    if (!characteristic) throw new Error('the device has no heart-rate service');
    const receive = createReceiver(send, device.name, status.say);
    characteristic.addEventListener('characteristicvaluechanged', ({ target }) =>
      receive((target as unknown as Characteristic).value),
    );
    await characteristic.startNotifications();
    button.textContent = 'Disconnect';
    status.say('Connected. Waiting for the first beat …');
  };
  button.addEventListener('click', () => {
    if (device) return disconnect();
    if (bluetooth)
      connect(bluetooth).catch((error: Error) => {
        disconnect();
        device = undefined;
        status.say(error.name === 'NotFoundError' ? 'No strap was chosen.' : `Not connected: ${error.message}`);
      });
  });
  signal.addEventListener('abort', disconnect);
  return element;
}

/** Returns a function that shows each notification and sends a reading with the beats of every few seconds. */
function createReceiver(send: Send, name: string | undefined, show: (text: string) => void) {
  const source = printable(name ?? '').slice(0, sourceLengthMax);
  const intervals: number[] = [];
  let sentMs = Number.NEGATIVE_INFINITY;
  return (value: DataView | undefined) => {
    const measured = value && parseHeartRate(value);
    if (!measured) return;
    if (!isPlausible(measured)) return show('No contact: check that the strap sits on the skin.');
    intervals.push(...measured.rrIntervalsMs);
    show(`${measured.heartRate} bpm`);
    if (nowMs() - sentMs < sendEveryMs) return;
    sentMs = nowMs();
    const device = source && { source_device: source };
    void send({ heart_rate: measured.heartRate, ...cleanIntervals(intervals.splice(0)), ...device });
  };
}

function printable(text: string): string {
  return [...text].filter((letter) => letter >= ' ' && letter <= '~').join('');
}

function isPlausible({ heartRate, hasContact }: HeartRateMeasurement): boolean {
  return hasContact !== false && heartRate >= rates.minimum && heartRate <= rates.maximum;
}
