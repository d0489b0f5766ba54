import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import {
  type Env,
  type ServiceOptions,
  type ServiceProgram,
  startServiceProgram,
  withServicePrograms,
} from '../../../testkit/program.js';

/** Limits so high that no request reaches them. They are enabled, as in a deployment. */
export const ample = { LIMIT_SESSION_REQUESTS_PER_MINUTE: '1000000000', LIMIT_NEW_SESSIONS_PER_MINUTE: '1000000000' };

/** The options that `npm start`, the systemd unit and the container pass to Node. */
export const startOptions = ['--single-threaded-gc', '--max-semi-space-size=8'];

const toEnv = (databaseUrl: string, env: Env) => ({ DATABASE_URL: databaseUrl, LOG_LEVEL: 'info', ...ample, ...env });

/** Starts the built service in the same way as a deployment. It logs every request. */
export function startBenchedService(databaseUrl: string, env: Env = {}, options?: ServiceOptions) {
  return startServiceProgram(toEnv(databaseUrl, env), options);
}

/** Runs the work with such services on one database. */
export function withBenchedServices<T>(
  databaseUrl: string,
  count: number,
  env: Env,
  work: (services: readonly [ServiceProgram, ...ServiceProgram[]]) => Promise<T>,
): Promise<T> {
  return withServicePrograms(toEnv(databaseUrl, env), count, (services) =>
    work(services as readonly [ServiceProgram, ...ServiceProgram[]]),
  );
}

/** Starts the gateway in front of a service and a model, also of the build whose program is `file`. */
export function startGateway(serviceUrl: string, modelUrl: string, file?: string): Promise<ServiceProgram> {
  const env = {
    SERVICE_URL: serviceUrl,
    GATEWAY_PORT: '0',
    GATEWAY_OPENAI_URL: modelUrl,
    // A busy machine shows in the latency, not in skipped states.
    GATEWAY_STATE_TIMEOUT_MS: '10000',
  };
  return startServiceProgram(env, { args: ['gateway'], ...(file !== undefined && { file }) });
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
