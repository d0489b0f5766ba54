import { idempotency } from '../../generated/spec.js';
import type { Config } from '../config/config.js';
import { listDevelopmentKeyWarnings } from '../keys/development-key.js';
import { createKeyTable, findKeptHours } from '../store/keys.js';
import { createSecretsKeyTable } from '../store/secrets-key.js';
import type { Store } from '../store/store.js';

const lostStates = 'while the check is slow, no request of the gateway gets the state';

/** Returns warnings for the operator about this deployment, each with its remedy. */
export async function findWarnings(
  store: Store,
  { secretsKeys, targetPolicy, retention, safetyCheck, safetyTimeoutMs, gatewayTimeoutMs }: Config,
  nowMs: number,
): Promise<string[]> {
  return [
    ...(targetPolicy.allowLoopback
      ? ['webhooks to loopback addresses are allowed: set WEBHOOK_ALLOW_LOOPBACK=0 if others have keys']
      : []),
    ...(safetyCheck && safetyTimeoutMs >= gatewayTimeoutMs
      ? [`SAFETY_TIMEOUT_MS must be less than GATEWAY_STATE_TIMEOUT_MS (${gatewayTimeoutMs}): ${lostStates}`]
      : []),
    ...(await listKeyWarnings(store, secretsKeys, retention.readingsMs)),
    ...((await store.isDurable())
      ? []
      : ['innodb_flush_log_at_trx_commit is not 1: the server may lose acknowledged readings at power loss']),
    ...(await listDevelopmentKeyWarnings(store.use(createKeyTable), nowMs)),
  ];
}

const hourMs = 3_600_000;

/** A resend is detected by its digest. An earlier key is required while a stored reading has a digest with this key. */
async function listKeyWarnings(store: Store, keys: Config['secretsKeys'], readingsMs: number): Promise<string[]> {
  if (keys === undefined || keys.length < 2) return [];
  const replacedAtMs = (await store.use(createSecretsKeyTable).find())?.sinceMs ?? 0;
  const hours = [idempotency.retention_hours, ...(await store.run(findKeptHours)).values()];
  const untilMs = replacedAtMs + Math.max(readingsMs, ...hours.map((it) => it * hourMs));
  return [
    `SECRETS_KEY holds ${keys.length} keys: if the first one is the newest, remove the others after ${new Date(untilMs).toISOString()}`,
  ];
}
