import type { Schema } from '../src/contract/contract.js';
import type { TestService } from './service.js';

/** Creates a device, by default a watch of `anna`. */
export async function createDevice(
  { post }: Pick<TestService, 'post'>,
  request: Partial<Schema<'DeviceRequest'>> = {},
): Promise<Schema<'Device'>> {
  const { status, body } = await post('/v1/devices', { subject_id: 'anna', name: 'Left', kind: 'watch', ...request });
  if (status !== 201) throw new Error(`${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Sends a reading of a device at the present time. */
export const sendBy = (
  { post, clock }: Pick<TestService, 'post' | 'clock'>,
  device_id: unknown,
  reading: object = {},
  headers?: Readonly<Record<string, string>>,
) => post('/v1/ingest', { device_id, timestamp: clock.at(), heart_rate: 80, ...reading }, headers);
