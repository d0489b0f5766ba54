#!/usr/bin/env node
import { Command } from 'commander';
import { deliver } from './cli/deliver.js';
import { keysCommand } from './cli/keys.js';
import { serve } from './cli/serve.js';
import { describeVariables, readConfig } from './config.js';
import { starting } from './start-error.js';
import { openStore, type Store } from './store/store.js';
import { startTracing } from './tracing.js';

/** The same from the source tree and from the built one. */
const root = new URL('../', import.meta.url);

const program = new Command('realtime-state-service')
  .description('Signals of a person in, stress state out.')
  .addHelpText('after', () => `\nEnvironment, all optional:\n${describeVariables()}`);
program
  .command('serve', { isDefault: true })
  .description('serve the interface (default)')
  .addHelpText('after', () => `\nEnvironment, all optional:\n${describeVariables()}`)
  .action(async () => serve({ config: readConfig(process.env), root, tracing: await startTracing(process.env) }));
program
  .command('deliver')
  .description('deliver webhooks without serving, beside other processes on the same database')
  .addHelpText('after', () => `\nEnvironment, all optional:\n${describeVariables()}`)
  .action(async () => deliver(readConfig(process.env), await startTracing(process.env)));
program
  .command('migrate')
  .description('bring the database up to date and end')
  .action(() => withStore(async () => console.error('The database is up to date.')));
program.addCommand(keysCommand((work) => withStore((store) => work(store.keys))));

program.parseAsync().catch((error: unknown) => {
  console.error(`error: ${(error as Error).message.split('\n')[0]}`);
  process.exitCode = 1;
});

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const { database } = readConfig(process.env);
  const store = await starting('DATABASE_URL', () => openStore(database));
  try {
    await starting('DATABASE_URL', store.migrate);
    await work(store);
  } finally {
    await store.close();
  }
}
