import { readGatewayConfig } from './config.js';
import { version } from '../../src/config/version.js';
import { startGateway } from './gateway.js';
import { starting } from '../../src/observe/start-error.js';
import { createLog } from '../../src/observe/log.js';
import { standardError } from '../../src/observe/log-output.js';
import { closeOnSignal } from '../../src/cli/close-on-signal.js';

/** Serves the gateway until SIGTERM or SIGINT. Logs the warnings and removes them from the array. */
export async function gateway(env: Readonly<Record<string, string | undefined>>, warnings: string[]): Promise<void> {
  const config = readGatewayConfig(env);
  const output = standardError();
  const log = createLog(config.logLevel, output);
  const running = await starting('GATEWAY_HOST and GATEWAY_PORT', () => startGateway(config, log));
  const { url } = running;
  closeOnSignal({ running, tracing: undefined, log, output });
  const { openai, anthropic } = config.upstreams;
  log.info({ version, url, service: config.serviceUrl, openai: openai?.href, anthropic: anthropic?.href }, 'started');
  for (const warning of warnings.splice(0)) log.warn(warning);
  console.log(`Listening on ${url}\n\nConfigure the agent:\n`);
  if (openai) console.log(`  OPENAI_BASE_URL=${url}/v1`);
  if (anthropic) console.log(`  ANTHROPIC_BASE_URL=${url}`);
  console.log(`
and send these headers with each request:

  X-State-Key      an API key of the state service (sk_…), or a session token
  X-State-Session  the id of the conversation
  X-State-Subject  the hashed id of the person (optional, for topics)
`);
}
