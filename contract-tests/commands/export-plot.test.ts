import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ChartReading, createThinnedReadings, drawExport } from '../../src/tools/export-chart.js';
import { startTestService } from '../support/service.js';
import { runCommand } from '../support/process.js';
import { temporaryFolder } from './temporary-folder.js';

const turn = { user_message: 'My exam is tomorrow and I cannot sleep.', ai_response: 'What worries you most?' };
const reading = (atMs: number, others: Partial<ChartReading> = {}): ChartReading => ({
  ...{ atMs, heartRate: 70, score: 30, state: 'relaxed' as const },
  ...others,
});

test('--plot draws heart rate, score, bands, states and topics, equally from both formats', async () => {
  const service = await startTestService();
  for (const heart_rate of [62, 63, 61, 98, 104, 108]) {
    const names = { session_id: 's', subject_id: 'p', timestamp: service.clock.at() };
    await service.read({ ...names, heart_rate, ...(heart_rate > 90 && { ...turn, tone: 'hostile' as const }) });
    service.clock.advance(30);
  }
  await service.read({ session_id: 's', timestamp: service.clock.at(), rr_intervals_ms: Array(60).fill(600) });
  const folder = await temporaryFolder();
  const draw = async (...args: string[]) => {
    const plot = join(folder, 'plots', `${args.join('')}.svg`);
    const options = ['--url', service.url, ...args, '--out', '/dev/null', '--plot', plot];
    const { code, stderr } = await runCommand('export', options, { SERVICE_KEY: service.key });
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Exported 7 readings.\nWritten: ${plot}\n` });
    return readFile(plot, 'utf8');
  };
  const svg = await draw('--session', 's');
  for (const shown of ['Session s, 7 readings', 'heart rate, bpm', 'stress score', 'acute_stress', '>state<'])
    expect(svg).toContain(shown);
  expect(svg).toMatch(/>topics<[^]*>exams</);
  // A dot per state change.
  expect(svg).toMatch(/<circle [^>]*r="4\.5"/);
  // The heart rate that was derived from intervals continues the line.
  expect(svg.match(/<polyline points="([^"]*)"/)?.[1]?.split(' ')).toHaveLength(7);
  expect(await draw('--session', 's', '--format', 'csv')).toBe(svg);
  expect((await draw('--subject', 'p')).replace('Person p', 'Session s')).toBe(svg);
});

test('times without readings are shaded, and interrupt the line of the heart rate', () => {
  const readings = [0, 60, 120, 7_200, 7_260].map((second) => reading(second * 1000));
  const svg = drawExport({ name: 'Person p', count: 5, readings });
  expect(svg).toContain('no readings');
  expect(svg.match(/<polyline [^>]*stroke="#c2410c"/g)).toHaveLength(2);
  expect(drawExport({ name: 'Person p', count: 3, readings: readings.slice(0, 3) })).not.toContain('no readings');
  expect(drawExport({ name: 'Person p', count: 0, readings: [] })).toContain('Person p, 0 readings');
});

test('a chart keeps every reading if there are few, in the order of their times', () => {
  const thinned = createThinnedReadings();
  const all = Array.from({ length: 2_000 }, (_, index) => reading(1e12 + index * 1000));
  for (const it of [...all].reverse()) thinned.add(it);
  expect(thinned.kept()).toEqual(all);
});

test('a chart keeps a bounded number of many readings, with extremes, states and topics', () => {
  const thinned = createThinnedReadings(100);
  for (let index = 0; index < 100_000; index += 1)
    thinned.add(reading(1e12 + ((index * 7_919) % 100_000) * 1000, { heartRate: 60 + (index % 20) }));
  const rare = [
    reading(1e12 + 500, { heartRate: 190 }),
    reading(1e12 + 3_333_500, { heartRate: undefined, score: 99, state: 'acute_stress' }),
    reading(1e12 + 7_777_500, { topics: ['exams'] }),
  ];
  for (const it of rare) thinned.add(it);
  const kept = thinned.kept();
  expect(kept.length).toBeLessThan(1_000);
  expect(kept).toEqual(expect.arrayContaining(rare));
  expect(kept).toEqual([...kept].sort((one, other) => one.atMs - other.atMs));
  expect(thinned.count()).toBe(100_003);
});
