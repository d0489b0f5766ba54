/**
 * Draws docs/images/demo.svg, the moving picture of the README: four minutes of a person of `--demo`, each with the signals
 * that were sent and the response of the service.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bands } from '../../generated/spec.js';
import { createStateClient, type ExportedReading } from '../../packages/client/src/index.js';
import { sendPresent } from '../../packages/tools/demo-week.js';
import { setClock, startLocalService } from '../../packages/tools/local-service.js';
import { wrap } from '../../packages/tools/demo.js';
import { seededRandom } from '../../packages/tools/terminal/scenes.js';
import { colors, picture, round, text } from '../svg.js';

const root = new URL('../../', import.meta.url);
const startMs = Date.UTC(2026, 10, 23, 9);
const [readings, spacingMs] = [48, 5_000];
const secondsPerRound = 16;
const size = { width: 760, height: 300 };
const chart = { left: 290, top: 80, width: 440, height: 110 };
/** Colors of the states in the dashboard. */
const fills: Readonly<Record<string, string>> = {
  calm: '#0d9488',
  relaxed: '#65a30d',
  focused: '#ca8a04',
  stressed: '#ea580c',
  acute_stress: '#dc2626',
};

const rows = await record();
writeFileSync(fileURLToPath(new URL('docs/images/demo.svg', root)), draw(rows));
console.log(`docs/images/demo.svg: ${rows.length} readings`);

async function record(): Promise<ExportedReading[]> {
  const settings = (folder: string) => ({ TEST_CLOCK_FILE: setClock(folder, startMs) });
  const service = await startLocalService({ root, name: 'picture', settings });
  try {
    const client = createStateClient({ baseUrl: service.url, key: service.key });
    const random = seededRandom(3);
    for (let index = 0; index < readings; index += 1) {
      const atMs = startMs + index * spacingMs;
      setClock(service.folder, atMs);
      await sendPresent(client, index, random, atMs);
    }
    const exported: ExportedReading[] = [];
    for await (const row of client.exportReadings({ sessionId: 'demo-ada-live' })) exported.push(row);
    return exported;
  } finally {
    await service.close();
  }
}

function draw(all: readonly ExportedReading[]): string {
  const points = all.map(({ computed }, at) => `${round(toX(at))},${round(toY(computed.stress_score))}`);
  const title = 'Signals in, state out';
  const subtitle = 'An invented person of the demo: four minutes, a reading every five seconds';
  return picture({ ...size, left: 24, title, subtitle }, [
    `<style>${styles(all.length)}</style>`,
    ...bands.map(
      ({ state, min_score, max_score }) =>
        `<rect x="${chart.left}" y="${round(toY(max_score + 1))}" width="${chart.width}" height="${round(toY(min_score) - toY(max_score + 1))}" fill="${fills[state]}" opacity="0.16"/>`,
    ),
    `<polyline points="${points.join(' ')}" fill="none" stroke="${colors.text}" stroke-width="2" pathLength="100" class="line"/>`,
    ...all.map(
      (row, at) =>
        `<g class="f" style="animation-delay:${round((at * secondsPerRound) / all.length)}s">${frame(row, at)}</g>`,
    ),
  ]);
}

/** One reading: its signals on the left, its point in the chart, its response below. */
function frame({ reading, computed }: ExportedReading, at: number): string {
  const { stress_score, state } = computed;
  const fill = fills[state] ?? colors.text;
  const recommendation = bands.find((it) => it.state === state)?.recommendation ?? '';
  return [
    text(24, 92, 'POST /v1/ingest', { size: 13, fill: colors.faint }),
    text(24, 118, `heart_rate ${reading.heart_rate}`, { size: 15 }),
    text(24, 142, `tone ${reading.tone}`, { size: 15 }),
    text(24, 166, `sentiment ${reading.sentiment}`, { size: 15 }),
    `<circle cx="${round(toX(at))}" cy="${round(toY(stress_score))}" r="5" fill="${fill}"/>`,
    text(24, 226, `state ${state}, stress_score ${stress_score}`, { size: 17, weight: 600, fill }),
    ...wrap(recommendation, 100).map((line, index) => text(24, 252 + index * 20, line, { size: 14 })),
  ].join('');
}

/** Each frame is visible for its share of a round. Without motion, only the last one. */
function styles(count: number): string {
  const share = round(100 / count);
  return [
    `.f{opacity:0;animation:f ${secondsPerRound}s linear infinite}`,
    `@keyframes f{0%,${share}%{opacity:1}${share + 0.01}%,100%{opacity:0}}`,
    `.line{stroke-dasharray:100;animation:l ${secondsPerRound}s linear infinite}`,
    '@keyframes l{from{stroke-dashoffset:100}to{stroke-dashoffset:0}}',
    '@media (prefers-reduced-motion:reduce){.f,.line{animation:none}.f:last-child{opacity:1}}',
  ].join('');
}

function toX(at: number): number {
  return chart.left + (chart.width * at) / (readings - 1);
}

function toY(score: number): number {
  return chart.top + chart.height * (1 - score / 101);
}
