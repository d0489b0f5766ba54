import type { Command } from 'commander';
import { settleOwed } from '../../contract-tests/support/owed.js';

/** As shells count them: 128 and the signal's number. */
const interruptedCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs a command to its end; what stops it is told in one line and makes the exit code 1. Interrupted it leaves nothing behind. */
export async function launch(command: Command): Promise<void> {
  let isInterrupted = false;
  const interrupt = (code: number) => {
    isInterrupted = true;
    void settleOwed().finally(() => process.exit(code));
  };
  process.once('SIGINT', () => interrupt(interruptedCodes.SIGINT));
  process.once('SIGTERM', () => interrupt(interruptedCodes.SIGTERM));
  try {
    await command.parseAsync();
  } catch (error) {
    // What was under way misses what is undone meanwhile.
    if (isInterrupted) return;
    console.error(`error: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
