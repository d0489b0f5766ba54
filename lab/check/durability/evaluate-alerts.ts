/** Evaluates alert rules without a pause, as a process that `alerts.ts` kills. */
import { takeTurns } from '../../../src/alerts/start.js';
import { readConfig } from '../../../src/config/config.js';
import { requireSecretsKeys } from '../../../src/config/secrets-key.js';
import { createDigestId } from '../../../src/store/erased-ids.js';
import { openStore } from '../../../src/store/store.js';

const config = readConfig(process.env);
const store = openStore(config.database);
const digestId = createDigestId(requireSecretsKeys(config));
console.log('Evaluating');
const parts = {
  store,
  digestId,
  now: Date.now,
  findAbsences: async () => [],
  onFailure: (error: unknown) => console.error(error),
};
for (;;) await takeTurns(parts, { isStopped: () => false, pause: async () => {}, onFired: () => {} });
