import type { Command } from 'commander';
import { settleOwed } from '../../contract-tests/support/owed.js';

const interruptedCode = 130;

/** Runs a command to its end; what stops it is told in one line and makes the exit code 1. Interrupted it leaves nothing behind. */
export async function launch(command: Command): Promise<void> {
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    void settleOwed().finally(() => process.exit(interruptedCode));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);
  try {
    await command.parseAsync();
  } catch (error) {
    // What was under way misses what is undone meanwhile.
    if (isInterrupted) return;
    console.error(`error: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
