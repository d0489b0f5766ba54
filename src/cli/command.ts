import { Command } from 'commander';
import type { Logger } from 'pino';
import type { Variable } from '../../packages/settings/variables.js';
import { type Config, readConfig } from '../config/config.js';
import {
  describeMainVariables,
  describeVariables,
  listSettings,
  findMisspelledVariables,
  listAllSettings,
} from '../config/settings.js';
import { version } from '../config/version.js';
import { jsonOption } from '../contract/command-line.js';
import { findSimilar } from '../contract/similar.js';
import { createEndAfterBody } from '../http/messages.js';
import { type Closable, describeError, runStartStep } from '../observe/start.js';
import { startTracing } from '../observe/tracing.js';
import { createKeyTable } from '../store/keys.js';
import type { Store } from '../store/store.js';
import { createAccountsCommand } from './accounts.js';
import { createAuditCommand } from './audit.js';
import { createBackupCommand, createRestoreCommand } from './backups/commands.js';
import { closeOnSignal, closeWithNpm } from './close-on-signal.js';
import { createKeysCommand } from './keys.js';
import { createMcpCommand } from './mcp.js';
import { addPersonId, findIssuerWarnings } from './oauth.js';
import type { PurgeOptions, WithProgress } from './purge.js';
import { addSecrets } from './secrets.js';

export interface CommandEnvironment {
  /** The module that the worker thread runs. */
  readonly program: URL;
  readonly root: URL;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly packages: {
    readonly commands: (host: Host) => readonly Command[];
    /** Environment variables that these commands read. */
    readonly variables: readonly string[];
    /** Serves invented people on a database of its own, until SIGTERM or SIGINT. `lan` is as in `DemoOptions`. */
    readonly serveDemo: (root: URL, env: NodeJS.ProcessEnv, lan: DemoOptions['lan']) => Promise<void>;
  };
  readonly withProgress: WithProgress;
}

type Environment = CommandEnvironment['env'];

/** Runs the command that the process arguments select. Imports only the modules of that command. */
export async function runCommand(environment: CommandEnvironment): Promise<void> {
  const { command, printWarnings } = createProgram(environment);
  try {
    requireKnown(command, process.argv[2]);
    await command.parseAsync();
  } catch (error) {
    console.error(`error: ${describeError(error)}`);
    printWarnings();
    process.exitCode ||= 1;
  }
}

/** Returns the definition of all commands, with a function that prints the warnings about environment variables once. */
export function createProgram({ program, root, env, packages, withProgress }: CommandEnvironment) {
  const warnings = findMisspelledVariables(env, packages.variables);
  // Each warning is reported once.
  const takeWarnings = () => warnings.splice(0);
  const printWarnings = () => takeWarnings().forEach((it) => console.error(`warning: ${it}`));
  const command = new Command('state-service')
    .description('Computes the stress state of a person from signals, in real time.')
    .version(version)
    .addHelpText('after', describeMainVariables)
    .hook('preAction', (_, action) => {
      if (!hasLog.includes(action.name())) printWarnings();
    });
  addServers(command, { program, root, env, takeWarnings, serveDemo: packages.serveDemo });
  addAdministration(command, env, withProgress, [...warnings]);
  for (const it of packages.commands(createHost(root, env, takeWarnings))) command.addCommand(it);
  return { command, printWarnings };
}

interface DemoOptions {
  readonly demo: boolean;
  /** IPv4 address of this machine on which phones post. True: the first one in a network. */
  readonly lan?: string | true;
}

interface ServerParts extends Pick<CommandEnvironment, 'program' | 'root' | 'env'> {
  readonly takeWarnings: () => readonly string[];
  readonly serveDemo: CommandEnvironment['packages']['serveDemo'];
}

/** Adds the commands that run until SIGTERM or SIGINT. */
function addServers(command: Command, { program, root, env, takeWarnings, serveDemo }: ServerParts): void {
  command
    .command('serve', { isDefault: true })
    .description('serve the API (default)')
    .option('--demo', 'serve a week of three invented people on a temporary database', false)
    .option('--lan [address]', 'with --demo: let a phone in the network post as a fourth person')
    .addHelpText('after', describeMainVariables)
    .action(async ({ demo, lan }: DemoOptions) => {
      closeWithNpm(env);
      if (demo) return serveDemo(root, env, lan);
      if (lan !== undefined) throw new Error('--lan requires --demo');
      const { serve } = await import('./serve.js');
      await serve({ config: readConfig(env), program, root, takeWarnings, tracing: await startTracing(env) });
    });
  command
    .command('deliver')
    .description('deliver webhooks without serving the API (several processes may share a database)')
    .addHelpText('after', describeMainVariables)
    .action(async () => {
      const { runDeliveryWorker: deliver } = await import('./serve.js');
      closeWithNpm(env);
      await deliver({ config: readConfig(env), takeWarnings, tracing: await startTracing(env) });
    });
}

/** Adds the commands of an operator, which end after their work. Only a configured database may be created. */
function addAdministration(command: Command, env: Environment, withProgress: WithProgress, warnings: string[]): void {
  const configure = () => readConfig(env);
  const hasDatabase = Boolean(env['DATABASE_URL'] || env['DATABASE_URL_FILE']);
  const withStore = async (work: (store: Store, config: Config) => Promise<void>, mayCreate = false, repairs = false) =>
    (await import('./with-store.js')).withStore(configure(), work, mayCreate && hasDatabase, repairs);
  command
    .command('configuration')
    .description('list all environment variables with their defaults')
    .option(...jsonOption)
    .action(({ json }: { json: boolean }) =>
      console.log(json ? JSON.stringify(listAllSettings()) : describeVariables()),
    );
  command
    .command('migrate')
    .description('migrate the database, then exit')
    .option('--repair', 'also create missing tables, columns and indexes, without their data', false)
    .action(({ repair }: { repair: boolean }) =>
      withStore(async () => console.error('All migrations are applied.'), true, repair),
    );
  command.addCommand(createBackupCommand(configure, () => closeWithNpm(env)));
  command.addCommand(createRestoreCommand(configure));
  command
    .command('purge')
    .description('delete expired data now, or count it. A running service does this every minute')
    .option('--dry-run', 'print what would be deleted, and delete nothing', false)
    .option('--confirm', 'delete even if more than half of all readings are expired', false)
    .option(...jsonOption)
    .action((options: PurgeOptions) =>
      withStore(async (store, config) => (await import('./purge.js')).purge(store, config, options, withProgress)),
    );
  command
    .command('doctor')
    .description(
      'check Node.js, files, disk, database, Redis, authorization server and the running service, and print remedies',
    )
    .option(...jsonOption)
    .action(async ({ json }: { json: boolean }) => {
      const all = [...warnings, ...(await findIssuerWarnings(configure()))];
      await (await import('./doctor.js')).checkInstallation(configure(), all, json);
    });
  const keys = createKeysCommand((work, mayCreate) => withStore((store) => work(store.use(createKeyTable)), mayCreate));
  command.addCommand(addPersonId(addSecrets(keys, withStore), configure));
  command.addCommand(createAccountsCommand(withStore));
  command.addCommand(createAuditCommand(withStore));
  command.addCommand(createMcpCommand());
}

/** These commands write warnings to their log once they run. */
const hasLog = ['serve', 'deliver', 'gateway'];

/** Throws for an unknown command. Commander would take its name for an argument of the default command. */
function requireKnown({ commands }: Command, name = '-'): void {
  const names = ['help', ...commands.map((it) => it.name())];
  if (name.startsWith('-') || names.includes(name)) return;
  const similar = findSimilar(name, names);
  throw new Error(`unknown command '${name}'${similar === undefined ? ': see --help' : `, did you mean ${similar}?`}`);
}

type Host = ReturnType<typeof createHost>;

/** Returns what the commands of packages get, because packages import nothing of src/. `serve` logs the warnings. */
function createHost(root: URL, env: Environment, takeWarnings: () => readonly string[]) {
  return {
    root,
    env,
    version,
    jsonOption,
    createEndAfterBody,
    describeVariables: (table: Readonly<Record<string, Variable<unknown>>>) => describeVariables(listSettings(table)),

    /**
     * Starts a server with its log, and closes it on SIGTERM or SIGINT. Rejects with an error that names the settings.
     */
    async serve<Server extends Closable>(
      what: string,
      logLevel: string,
      start: (log: Logger) => Promise<Server>,
    ): Promise<Server> {
      const { openServerLog } = await import('../observe/log.js');
      closeWithNpm(env);
      const { output, log } = openServerLog(logLevel);
      const running = await runStartStep(what, () => start(log));
      closeOnSignal({ running, tracing: undefined, log, output });
      for (const warning of takeWarnings()) log.warn(warning);
      return running;
    },
  };
}
