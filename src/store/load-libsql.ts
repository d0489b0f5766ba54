import { createRequire } from 'node:module';
import manifest from '../../package.json' with { type: 'json' };

const require = createRequire(import.meta.url);

/** Returns the driver. Throws an error that names the package, if the binary for this system is not installed. */
export function loadLibsql(): unknown {
  try {
    return require('libsql');
  } catch (error) {
    const [, name] = /Cannot find module '(@libsql\/[\w-]+)'/.exec(String(error)) ?? [];
    if (name === undefined) throw error;
    const install = `npm install --global ${name}@${manifest.devDependencies.libsql}`;
    throw new Error(`SQLite requires the package ${name} on this system: ${install}`, { cause: error });
  }
}
