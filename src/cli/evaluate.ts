/**
 * Evaluates the score on a recording with labels: starts the service in this process on a temporary database, sends the
 * recording with and without a personal baseline, and prints the tables. Standard output contains only the tables.
 */
import { readFile } from 'node:fs/promises';
import { evaluateRecording, readingsOf, readRecording, type Recording } from '../evaluate/evaluate-recording.js';
import type { RecordingOptions } from '../evaluate/evaluate-recording.js';
import { startProgress } from '../terminal/progress.js';
import { requireWritable, save } from '../terminal/save.js';
import type { Surroundings } from './command.js';
import { stopOnSignals } from './stop-on-signals.js';

export interface EvaluateOptions extends RecordingOptions {
  readonly file: string;
  readonly figure?: string;
  readonly markdown: boolean;
}

export async function evaluate(options: EvaluateOptions, { root }: Pick<Surroundings, 'root'>): Promise<void> {
  const recording = await load(options);
  if (options.figure !== undefined) await requireWritable('--figure', options.figure);
  const signal = stopOnSignals();
  const progress = startProgress(process.stderr, readingsOf(recording), 'readings');
  try {
    const { text, figure } = await evaluateRecording(recording, {
      root,
      signal,
      markdown: options.markdown,
      onAnswer: progress.advance,
    });
    progress.stop();
    console.log(text);
    if (options.figure !== undefined) await save(options.figure, figure, '--figure');
  } catch (error) {
    // After a signal, the exit code is already set and no message is needed.
    if (!signal.aborted) throw error;
  } finally {
    progress.stop();
  }
}

async function load(options: EvaluateOptions): Promise<Recording> {
  try {
    return readRecording(await readFile(options.file, 'utf8'), options);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing ? 'there is no such file' : (error as Error).message;
    throw new Error(`cannot read --file ${options.file}: ${reason}`);
  }
}
