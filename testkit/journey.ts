import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const isOurs = /^(?:src|packages|generated)\/(?!.*node_modules\/).*\.ts$/;

/** A function that ran, and how often. */
interface Call {
  readonly name: string;
  readonly count: number;
}

/** The functions of the project that ran, by the path of their file in the repository. */
export type Journey = ReadonlyMap<string, readonly Call[]>;

/** Returns the functions of `src`, `packages` and `generated` that run during the work, on this thread. */
export async function recordJourney(work: () => Promise<unknown>): Promise<Journey> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await session.post('Profiler.takePreciseCoverage');
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    return new Map(
      result.flatMap(({ url, functions }) => {
        const path = url.replace(/^file:\/\//, '').startsWith(root) ? url.slice(url.indexOf(root) + root.length) : '';
        const calls = functions.flatMap(({ functionName: name, ranges: [range] }) =>
          range && range.count > 0 ? [{ name, count: range.count }] : [],
        );
        return isOurs.test(path) && calls.length > 0 ? [[path, calls]] : [];
      }),
    );
  } finally {
    session.disconnect();
  }
}
