import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { claims } from '../../testkit/simulation/everyday-claims.js';
import type { Player } from '../../packages/tools/evaluate/scores/replay.js';
import { playClaim } from '../../testkit/simulation/everyday.js';
import { figuresOf, replayStreams, sumFigures } from '../../testkit/simulation/stream.js';
import { withWristNoise } from '../../testkit/simulation/wrist-noise.js';
import { sampleRecording } from '../../testkit/sample-recording.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { groupBySubject } from '../../packages/tools/recordings/recorded-window.js';
import { readWindows } from '../../packages/tools/recordings/read-windows.js';
import { Clock, startTestService } from '../../testkit/service.js';

/** `npm run lab -- evaluate stress --everyday` plays three other seeds. */
const seeds = [1, 2];
const timeout = 240_000;
const dayMs = 24 * 60 * 60 * 1000;

async function startPlayer(): Promise<Player> {
  const { clock, read } = await startTestService();
  return { now: clock.now, advance: (seconds) => clock.advance(seconds), send: read };
}

test.each(claims)('$stream: $expected', { timeout }, async (claim) => {
  for (const [index, responses] of (await playClaim(await startPlayer(), claim, seeds)).entries())
    expect(claim.holds(responses), `seed ${seeds[index]}: ${JSON.stringify(responses.slice(-2))}`).toBe(true);
});

test(
  'a wrist heart rate every 5 s: at most 6 state changes per hour, at most 10 % of the states shorter than a minute',
  {
    timeout,
  },
  async () => {
    // Starts at 03:53 UTC, so that the readings cross the border of two times of day. A new person has the most state
    // changes at this border.
    const clock = new Clock();
    clock.nowMs = Math.floor(clock.nowMs / dayMs) * dayMs + (3 * 60 + 53) * 60_000;
    const { read } = await startTestService({ clock });
    const people = [...groupBySubject(readWindows(await readFile(sampleRecording, 'utf8'))).values()];
    const streams = seeds.flatMap((seed) => {
      const random = seededRandom(seed);
      return people
        .map((windows) => withWristNoise(windows, random))
        .map((it) => ({ ...it, subject: `${it.subject}-${seed}` }));
    });
    const player = { now: clock.now, advance: (seconds: number) => clock.advance(seconds), send: read };
    const responses = await replayStreams(player, streams, 5, () => undefined);
    const { changes, hours, short, states } = sumFigures(responses.map(figuresOf));
    expect(changes / hours).toBeLessThanOrEqual(6);
    expect(short / states).toBeLessThanOrEqual(0.1);
  },
);

test('a hostile voice has a lower confidence with positive words than with negative words', async () => {
  const service = await startTestService();
  const confidenceWith = async (sentiment: number) =>
    (await service.read({ session_id: `words${sentiment}`, tone: 'hostile', sentiment })).confidence;
  expect(await confidenceWith(0.8)).toBeLessThan((await confidenceWith(-0.8)) - 0.1);
});

test('a reading with only RMSSD is accepted, and a reading with only activity and steps is rejected', async () => {
  const service = await startTestService();
  const alone = await service.read({ session_id: 'variability', rmssd: 30 });
  expect(alone.signals_received).toEqual(['cardiovascular']);
  const { status, body } = await service.ingest({ activity_level: 'vigorous', steps_last_minute: 140 });
  expect([status, body.code]).toEqual([400, 'missing_signals']);
});

test('the same heart rate is less evidence for stress with steps than without', async () => {
  const service = await startTestService();
  const score = async (session_id: string, steps_last_minute: number) =>
    (await service.read({ session_id, heart_rate: 105, steps_last_minute })).stress_score;
  expect(await score('walking', 110)).toBeLessThan((await score('sitting', 0)) - 10);
});
