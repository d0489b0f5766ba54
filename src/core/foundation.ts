import type { Logger } from 'pino';
import type { Keep } from '../closing.js';
import type { Config } from '../config.js';
import { createSecretBox, type SecretBox } from '../delivery/secret-box.js';
import { resolveName, type ResolveName } from '../delivery/resolve-name.js';
import { startWorker, type Worker } from '../delivery/worker.js';
import { secretsKeyOf } from '../secrets.js';
import { starting } from '../start-error.js';
import { openStore, type Store } from '../store/store.js';

/** What serving and delivering both need: a migrated database and the secrets. */
export interface Foundation {
  readonly store: Store;
  readonly secretsKey: string;
  readonly secretBox: SecretBox;
  readonly resolveName: ResolveName;
  readonly now: () => number;
  /** Age of the oldest event that is not yet expanded to deliveries; 0 without one. */
  outboxAgeSeconds(): Promise<number>;
}

export async function openFoundation(keep: Keep, config: Config, now: () => number): Promise<Foundation> {
  const store = keep(await starting('DATABASE_URL', () => openStore(config.database)));
  await starting('DATABASE_URL', store.migrate);
  const secretsKey = await starting('SECRETS_KEY', () => secretsKeyOf(config));
  return {
    store,
    secretsKey,
    secretBox: createSecretBox(secretsKey),
    resolveName,
    now,
    async outboxAgeSeconds() {
      const oldestMs = await store.findOldestEvent();
      return oldestMs === undefined ? 0 : (now() - oldestMs) / 1000;
    },
  };
}

export interface WorkerOptions {
  readonly config: Pick<Config, 'targetPolicy' | 'keepsAnswers'>;
  readonly log: Logger;
  readonly observeAttempt: (outcome: 'delivered' | 'failed', seconds: number) => void;
}

export function startWorkerOn(foundation: Foundation, { config, log, observeAttempt }: WorkerOptions): Worker {
  const { targetPolicy, keepsAnswers } = config;
  return startWorker({ ...foundation, targetPolicy, keepsAnswers, log, observeAttempt });
}
