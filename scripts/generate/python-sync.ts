/** Turns a module of the asynchronous Python client into its synchronous twin. */

/** Replacements in order. The first part of each pair is a pattern with flag `g`. */
const rules: readonly (readonly [RegExp, string])[] = [
  [/^""".*"""\n\n/, ''],
  [/^import anyio\n/gm, ''],
  [/await anyio\.sleep/g, 'time.sleep'],
  // `yield from` closes the inner generator together with the outer one.
  [/(?:async )?for (\w+) in (.*):\n +yield \1\n/g, 'yield from $2\n'],
  [/\b(?:async|await) /g, ''],
  [/\bAsyncGenerator\[(.*), None\]/g, 'Generator[$1, None, None]'],
  [/\bAwaitable\[(\w+)\]/g, '$1'],
  [/, Awaitable\b/g, ''],
  [/\b_async_(\w+)/g, '_$1'],
  [/\bAsync([A-Z])/g, '$1'],
  [/\b__a(enter|exit|iter)__/g, '__$1__'],
  [/\.a(close|read|iter_bytes)\b/g, '.$1'],
  [/\bTasks\b/g, 'Threads'],
];

/** Returns the module without `async` and `await`. Throws if a part of it has no synchronous form here. */
export function toSynchronous(source: string): string {
  const code = rules.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), source);
  const [left] = /.*(async|await|anyio).*/i.exec(code) ?? [];
  if (left !== undefined) throw new Error(`python-sync.ts has no rule for: ${left.trim()}`);
  return code;
}
