import { expect, test } from 'vitest';
import { buildNextVersion } from '../../testkit/next-version.js';
import { type ServiceProgram } from '../../testkit/program.js';
import { everythingStored } from '../../testkit/stored.js';
import { expectErased, exportFrom, lanes, openDatabaseOfTest, startLoad, storeErasable, toText } from './rolling.js';

test('two versions serve one database after an additive migration, up, back and up, and lose and repeat nothing', async () => {
  const { database, start, send } = await openDatabaseOfTest();
  const next = buildNextVersion(false);
  const programs = [await start()];
  const load = startLoad(send, programs);
  await load.more();

  const [old, newer] = [programs[0] as ServiceProgram, await start(next)];
  programs.push(newer);
  await load.more();
  for (const program of programs) expect((await send(program, '/readyz')).status).toBe(200);
  for (const [writer, eraser] of [
    [newer, old],
    [old, newer],
  ] as const) {
    const ofDevice = await storeErasable(send, writer);
    expect((await send(eraser, '/v1/subjects/erased', 'DELETE')).status).toBe(200);
    await expectErased(send, writer, ofDevice);
    expect((await send(writer, '/v1/state?session_id=gone')).status).toBe(404);
  }

  programs.splice(0, 1);
  await old.stop();
  await load.more();
  const back = await start();
  programs.splice(0, 1, back);
  await newer.stop();
  await load.more();
  const again = await start(next);
  programs.push(again);
  await load.more();
  await load.stop();

  const expected = load.acknowledged.map(({ body }) => toText(body));
  for (const { body, response } of load.acknowledged.slice(-2 * lanes))
    for (const program of programs)
      expect(JSON.parse((await send(program, '/v1/ingest', 'POST', body)).text)).toEqual(response);
  for (const program of programs) {
    const exported = await exportFrom(send, program);
    expect(exported).toEqual(expect.arrayContaining(expected));
    expect(new Set(exported).size).toBe(exported.length);
    expect(exported.filter((line) => line.startsWith('gone'))).toEqual([]);
  }
  for (const program of programs) await program.stop();
  expect(await everythingStored(database)).not.toContain('gone');
}, 240_000);

test('once a breaking migration has run, a running process of the earlier version acknowledges nothing more', async () => {
  const { start, send } = await openDatabaseOfTest();
  const old = await start();
  const programs = [old];
  const load = startLoad(send, programs);
  await load.more();

  const newer = await start(buildNextVersion(true));
  const before = load.acknowledged.length;
  programs.push(newer);
  await load.more();
  expect(load.acknowledged.slice(before).filter(({ by }) => by === old)).toEqual([]);
  await load.stop();

  const reading = { session_id: 's9', timestamp: new Date().toISOString(), heart_rate: 70 };
  expect(await send(old, '/v1/ingest', 'POST', reading)).toMatchObject({ status: 503 });
  expect((await send(old, '/readyz')).status).toBe(503);
  expect((await send(old, '/healthz')).status).toBe(200);
  expect((await send(newer, '/v1/ingest', 'POST', reading)).status).toBe(200);
  const exported = await exportFrom(send, newer);
  expect(exported).toEqual(expect.arrayContaining(load.acknowledged.map(({ body }) => toText(body))));
}, 240_000);
