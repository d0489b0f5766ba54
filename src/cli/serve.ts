import { destination } from 'pino';
import { type Service, type ServiceParts, startService } from '../compose.js';
import { createLog } from '../log.js';

const forcedExitMs = 9_500;

/** Serves until SIGTERM or SIGINT. Standard output is for people, the structured log goes to standard error. */
export async function serve({ config, root }: Pick<ServiceParts, 'config' | 'root'>): Promise<void> {
  const log = createLog(config.logLevel, destination({ dest: 2, sync: false }));
  const service = await startService({ config, root, log });
  console.log(`Listening on ${service.url}`);
  if (service.developmentKey) console.log(welcome(service.url, service.developmentKey));
  for (const warning of service.warnings) log.warn(warning);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(service));
}

/** Ends the process in any case: what has not finished by then was never acknowledged. */
async function stop(service: Service): Promise<void> {
  setTimeout(() => process.exit(1), forcedExitMs).unref();
  await service.close();
}

function welcome(url: string, key: string): string {
  const reading = `{"session_id":"demo","timestamp":"'"$(date -u +%Y-%m-%dT%H:%M:%SZ)"'","heart_rate":96,"tone":"tense","expression":"frowning","sentiment":-0.4}`;
  return `
The database was empty, so it got an account and a development key, shown this once:

  ${key}

Send a first reading:

  curl -s ${url}/v1/ingest -H 'X-Service-Key: ${key}' -H 'Content-Type: application/json' -d '${reading}'
`;
}
