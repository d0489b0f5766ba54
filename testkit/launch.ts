import type { Command } from 'commander';
import { settleOwed } from './owed.js';

/** Exit codes by shell convention: 128 plus the number of the signal. */
const interruptedCodes = { SIGINT: 130, SIGTERM: 143 } as const;

/** Runs a command. Prints an error as one line and sets the exit code to 1. Cleans up after an interruption. */
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
    // After an interruption, the cleanup removes resources that the command still uses. Its error is expected.
    if (isInterrupted) return;
    console.error(`error: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
