import { expect, test } from 'vitest';
import { modelVersion } from '../../generated/spec.js';
import { client, Clock, startTestService } from '../../testkit/service.js';
import { openKnex, temporaryDatabase } from '../../testkit/temporary-database.js';
import { exportRows } from '../../testkit/batch.js';

const { number: current } = modelVersion;
type Versioned = { readonly model_version: number };

/** Returns the versions in every response that shows a score of the session, in the order of the readings. */
async function readVersions(service: ReturnType<typeof client>) {
  const { datapoints } = await service.get('/v1/history?session_id=s1');
  const { sessions } = await service.get('/v1/sessions');
  return {
    state: (await service.get('/v1/state?session_id=s1')).model_version,
    sessions: sessions.map((it: Versioned) => it.model_version),
    history: datapoints.map((it: Versioned) => it.model_version),
    export: (await exportRows(service, 'session_id=s1')).map(({ computed }) => computed.model_version),
  };
}

test('readings keep the version of the model that computed them', async () => {
  const [database, clock] = [await temporaryDatabase(), new Clock()];
  const before = await startTestService({ database, clock });
  const first = { timestamp: clock.at(-2), heart_rate: 62 };
  expect(await before.read(first)).toMatchObject({ model_version: current });
  await before.close();
  // Stores what a release with version 1 of the model stored.
  const knex = openKnex(database.url);
  expect(await knex('session_readings').pluck('model_version')).toEqual([current]);
  await knex('session_readings').update({ model_version: 1 });
  const { body } = await knex('sessions').first('body');
  expect(body).toContain(`"model":${current},`);
  await knex('sessions').update({ body: body.replace(`"model":${current},`, '"model":1,') });

  const after = client((await startTestService({ database, clock })).url, before.key, clock);
  expect(await readVersions(after)).toEqual({ state: 1, sessions: [1], history: [1], export: [1] });
  expect(await after.read(first)).toMatchObject({ model_version: 1 });
  expect(await after.read({ heart_rate: 63 })).toMatchObject({ model_version: current });
  const both = [1, current];
  expect(await readVersions(after)).toEqual({ state: current, sessions: [current], history: both, export: both });
});
