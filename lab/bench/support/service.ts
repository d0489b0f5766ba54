import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { type Env, type ServiceProgram, startServiceProgram } from '../../../testkit/program.js';

/** Limits so high that no request reaches them. They are enabled, as in a deployment. */
export const ample = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '1000000000', LIMIT_NEW_SESSIONS_PER_MINUTE: '1000000000' };

/** The options that `npm start`, the systemd unit and the container pass to Node. */
export const startOptions = ['--single-threaded-gc', '--max-semi-space-size=8'];

/** Starts the built service in the same way as a deployment. It logs every request. */
export function startBenchedService(databaseUrl: string, settings: Env = ample): Promise<ServiceProgram> {
  return startServiceProgram({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'info', ...settings });
}

/** Bundles a module of lab/bench like the service, so that no server runs a loader. Returns the path of the bundle. */
export function bundle(name: string): string {
  const root = fileURLToPath(new URL('../../../', import.meta.url));
  const outfile = `${root}dist/bench/${name.replace('/', '-')}.js`;
  buildSync({
    entryPoints: [`${root}lab/bench/${name}.ts`],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}
