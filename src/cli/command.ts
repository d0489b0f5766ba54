import { Command } from 'commander';
import { readConfig } from '../config/config.js';
import type { Store } from '../store/store.js';
import { startTracing } from '../tracing/tracing.js';
import { describeVariables } from '../config/variables.js';
import { version } from '../config/version.js';
import { keysCommand } from './keys.js';
import { mcpCommand } from './mcp.js';

export interface Surroundings {
  /** The module that the worker thread runs. */
  readonly program: URL;
  /** The root folder of the project. */
  readonly root: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs the command of the process arguments. Imports a command's modules only when it runs. */
export async function runCommand({ program, root, env }: Surroundings): Promise<void> {
  const withStore = async (work: (store: Store) => Promise<void>) =>
    (await import('./with-store.js')).withStore(readConfig(env), work);
  const variables = () => `\nEnvironment, all optional:\n${describeVariables()}`;
  const command = new Command('realtime-state-service')
    .description('Signals of a person in, stress state out.')
    .version(version)
    .addHelpText('after', variables);
  command
    .command('serve', { isDefault: true })
    .description('serve the interface (default)')
    .addHelpText('after', variables)
    .action(async () => {
      const { serve } = await import('./serve.js');
      await serve({ config: readConfig(env), program, root, tracing: await startTracing(env) });
    });
  command
    .command('deliver')
    .description('deliver webhooks without serving, beside other processes on the same database')
    .addHelpText('after', variables)
    .action(async () => {
      const { deliver } = await import('./deliver.js');
      await deliver(readConfig(env), await startTracing(env));
    });
  command
    .command('migrate')
    .description('bring the database up to date and end')
    .action(() => withStore(async () => console.error('The database is up to date.')));
  command.addCommand(keysCommand((work) => withStore((store) => work(store.keys))));
  command.addCommand(mcpCommand());
  try {
    await command.parseAsync();
  } catch (error) {
    console.error(`error: ${(error as Error).message.split('\n')[0]}`);
    process.exitCode = 1;
  }
}
