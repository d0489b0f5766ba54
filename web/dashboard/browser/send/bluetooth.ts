/** The part of Web Bluetooth that the page uses. TypeScript's library has no types for it. */
export interface Bluetooth {
  requestDevice(options: {
    readonly filters: ReadonlyArray<{ readonly services: readonly string[] }>;
  }): Promise<Device>;
}

export interface Device extends EventTarget {
  readonly name?: string;
  readonly gatt?: {
    connect(): Promise<Server>;
    disconnect(): void;
  };
}

interface Server {
  getPrimaryService(name: string): Promise<{ getCharacteristic(name: string): Promise<Characteristic> }>;
}

export interface Characteristic extends EventTarget {
  readonly value?: DataView;
  startNotifications(): Promise<Characteristic>;
}

/** Returns undefined in a browser without Web Bluetooth, and on pages of plain HTTP other than localhost. */
export function bluetoothOf(browser: Navigator): Bluetooth | undefined {
  return (browser as { readonly bluetooth?: Bluetooth }).bluetooth;
}
