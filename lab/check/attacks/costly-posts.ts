import { setTimeout as sleep } from 'node:timers/promises';
import type { Scenario } from './scenario.js';
import type { Stage } from './stage.js';

const samples = 1_000;
const posts = 6;
/** Interval between two reads of the other account, ms. */
const paceMs = 10;
/** Maximum ratio between the slowest read of the other account during costly bodies and during ordinary ones. */
const ratioMax = 5;

/** Devices that all samples of a body share. A text of such letters has 18 times as many characters when it is normalized. */
const devices = { ordinary: ['Watch'], costly: ['\ufdfa'.repeat(20_000), 'a'.repeat(200_000)] };

/** One account posts bodies whose parts cost CPU, and another account reads a state. */
export const costlyPosts: Scenario = {
  item: 57,
  title: 'bodies of a source that cost CPU',
  neighborRatioMax: 10,
  async attack(stage) {
    const { accomplice, clock, command } = stage;
    const key = await command('keys', 'create', '--account', 'attacker', '--subject', 'p', '--source', 'generic');
    const timestamp = new Date(clock.now()).toISOString();
    await accomplice.request('/v1/ingest', { session_id: 'other', timestamp, heart_rate: 70 });
    await measure(stage, key, devices.ordinary);
    const ordinary = await measure(stage, key, devices.ordinary);
    const costly = await measure(stage, key, devices.costly);
    const ratio = Number((costly.slowestMs / ordinary.slowestMs).toFixed(1));
    return [
      { what: 'slowest read of another account during ordinary bodies, ms', found: Math.round(ordinary.slowestMs) },
      { what: 'the same during costly bodies (× ordinary ones)', found: ratio, allowed: ratioMax },
      { what: 'costly bodies that were not stored', found: costly.refused, allowed: 0 },
    ];
  },
};

/** Posts bodies one after another. Returns the slowest read of a state of another account meanwhile. */
async function measure({ service, accomplice }: Stage, key: string, names: readonly string[]) {
  let [refused, slowestMs, isOver] = [0, 0, false];
  const posting = (async () => {
    for (let index = 0; index < posts; index += 1) {
      const body = JSON.stringify({
        device: names[index % names.length],
        rr: Array.from({ length: samples }, () => 800),
      });
      const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
      const response = await fetch(`${service().url}/v1/sources/generic`, { method: 'POST', headers, body });
      await response.arrayBuffer();
      if (response.status !== 200) refused += 1;
    }
  })().finally(() => (isOver = true));
  while (!isOver) {
    const sentAt = performance.now();
    await accomplice.request('/v1/state?session_id=other');
    slowestMs = Math.max(slowestMs, performance.now() - sentAt);
    await sleep(paceMs);
  }
  await posting;
  return { refused, slowestMs };
}
