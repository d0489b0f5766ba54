/** Whether npm installed this program as a package, with the command `state-service`. False in a checkout. */
const isInstalled = import.meta.url.includes('/node_modules/');

/** Returns how a person runs a command of this program, e.g. `npx state-service keys list` in a checkout. */
export function formatCommandLine(command: string, args = ''): string {
  return `${isInstalled ? '' : 'npx '}state-service ${command} ${args}`.trim();
}

/**
 * The option of every command that prints a table. With it, standard output contains one JSON document and nothing else.
 */
export const jsonOption = [
  '--json',
  'print one JSON document with stable field names instead of tables',
  false,
] as const;
