/**
 * Measures the duration of the topic analyzer for turns of up to 4,000 characters. Prints the median and the 90th
 * percentile.
 */
import { readFileSync } from 'node:fs';
import { gatherTopics } from '../../src/domain/topics/gather.js';
import { loadTopicModel } from '../../src/domain/topics/model.js';
import { createTopicAnalyzer } from '../../src/domain/topics/analyzer.js';

const ROUNDS = 2000;
const WARM_UP = 500;
const LENGTH = 4000;

const everyday =
  'My boss asked me to stay late again and I could not say no. I wanted to be home for dinner with the kids. ' +
  'My sister called about our mother, who has been ill since spring, and I had no time to talk. The rent is due on Friday! ' +
  'I slept badly, I keep thinking about the exam and whether I should move to another town. Anyway, how are you doing? ';
const texts: Readonly<Record<string, string>> = {
  'everyday talk': everyday,
  'a turn of 200 + 300': everyday.slice(0, 500),
  'one letter words': 'a ',
  'one long word': 'a',
  'negations and topics': 'not work ',
  emoji: '😀',
  Hangul: '한',
  'lone surrogates': '\ud800',
  NUL: '\0',
};

const bytes = readFileSync(new URL('../../src/domain/topics/weights.bin', import.meta.url));
const before = process.memoryUsage();
const start = performance.now();
const analyzer = createTopicAnalyzer(loadTopicModel(bytes));
console.log(`load: ${(performance.now() - start).toFixed(0)} ms`);
globalThis.gc?.();
const after = process.memoryUsage();
const megabytes = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / 2 ** 20;
console.log(
  `memory: ${megabytes.toFixed(1)} MB${globalThis.gc === undefined ? ' (rough; run node with --expose-gc)' : ''}`,
);

for (const [name, part] of Object.entries(texts)) {
  const text = name.startsWith('a turn') ? part : part.repeat(LENGTH).slice(0, LENGTH);
  const half = Math.ceil(text.length / 2);
  const turn = { user_message: text.slice(0, half), ai_response: text.slice(half) };
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    gatherTopics(undefined, analyzer.analyzeTurn(turn));
    return 1000 * (performance.now() - begin);
  })
    .slice(WARM_UP)
    .sort((a, b) => a - b);
  const at = (part: number) => (times[Math.floor(part * times.length)] ?? 0).toFixed(0).padStart(5);
  console.log(
    `${name.padEnd(22)} ${String(text.length).padStart(5)} characters: median ${at(0.5)} µs, 90 % ${at(0.9)} µs`,
  );
}
