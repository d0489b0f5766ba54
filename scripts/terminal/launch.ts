import type { Command } from 'commander';

/** Runs a command to its end; what stops it is told in one line and makes the exit code 1. */
export async function launch(command: Command): Promise<void> {
  try {
    await command.parseAsync();
  } catch (error) {
    console.error(`error: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
