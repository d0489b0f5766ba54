/** Evaluates alert rules without a pause, as a process that `alerts.ts` kills. Claims milliseconds in place of minutes. */
import { evaluate } from '../../../src/alerts/evaluate.js';
import { readConfig } from '../../../src/config/config.js';
import { requireSecretsKeys } from '../../../src/config/secrets-key.js';
import { createDigestId } from '../../../src/keys/digest-id.js';
import { createAlertLease } from '../../../src/store/alerts.js';
import { openStore } from '../../../src/store/store.js';

const config = readConfig(process.env);
const store = openStore(config.database);
const digestId = createDigestId(requireSecretsKeys(config));
console.log('Evaluating');
for (;;) {
  const minuteMs = Date.now();
  if (!(await store.run((knex) => createAlertLease(knex).claim(minuteMs)))) continue;
  await evaluate({ store, digestId, now: Date.now, minuteMs, isOver: () => false }, undefined);
}
