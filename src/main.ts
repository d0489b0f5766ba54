#!/usr/bin/env node
import { Command } from 'commander';
import { keysCommand } from './cli/keys.js';
import { serve } from './cli/serve.js';
import { describeVariables, readConfig } from './config.js';
import { openStore, type Store } from './store/store.js';

/** The same from the source tree and from the built one. */
const root = new URL('../', import.meta.url);

const program = new Command('realtime-state-service')
  .description('Signals of a person in, stress state out.')
  .addHelpText('after', () => `\nEnvironment, all optional:\n${describeVariables()}`);
program
  .command('serve', { isDefault: true })
  .description('serve the interface (default)')
  .addHelpText('after', () => `\nEnvironment, all optional:\n${describeVariables()}`)
  .action(() => serve({ config: readConfig(process.env), root }));
program
  .command('migrate')
  .description('bring the database up to date and end')
  .action(() => withStore(async () => console.error('The database is up to date.')));
program.addCommand(keysCommand((work) => withStore((store) => work(store.keys))));

program.parseAsync().catch((error: unknown) => {
  console.error(`error: ${describe(error)}`);
  process.exitCode = 1;
});

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const store = openStore(readConfig(process.env).database);
  try {
    await store.migrate();
    await work(store);
  } finally {
    await store.close();
  }
}

/** One line that says what to mend. */
function describe(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === 'EADDRINUSE') return 'PORT is in use by another process: set PORT to another one; 0 takes a free one';
  if (code === 'ECONNREFUSED' || code === 'ETIMEDOUT' || code === 'ENOTFOUND')
    return `DATABASE_URL: the database cannot be reached (${message || code}): is it running there?`;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES' || code === 'EEXIST' || code === 'EROFS')
    return `DATABASE_URL: the file of the database cannot be made (${message})`;
  return message.split('\n')[0] ?? message;
}
