import { runCommand } from '../../../contract-tests/support/service-process.js';
import { ample, type BenchedService, startBenchedService } from './service.js';

export const warmUpSeconds = 3;

export interface StreamBenchOptions {
  readonly streams: number;
  readonly seconds: number;
  readonly rounds: number;
}

/** A measured figure with its goal. */
export interface Figure {
  readonly title: string;
  readonly value: string;
  readonly goal?: string;
}

/** Provides processes of the service on one database, and a key. Closes them afterwards. */
export async function withServices<T>(
  databaseUrl: string,
  count: number,
  env: Readonly<Record<string, string>>,
  work: (services: readonly BenchedService[], key: string) => Promise<T>,
): Promise<T> {
  const key = await runCommand(databaseUrl, ['keys', 'create', '--account', 'bench', '--tier', 'enterprise']);
  const services: BenchedService[] = [];
  try {
    for (let index = 0; index < count; index += 1)
      services.push(await startBenchedService(databaseUrl, { ...ample, LIMIT_STREAMS_PER_KEY: '0', ...env }));
    return await work(services, key);
  } finally {
    for (const service of services) await service.close();
  }
}

export function sessionIds(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `streamed-${index}`);
}
