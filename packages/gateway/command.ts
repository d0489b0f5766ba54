import { Command } from 'commander';
import type { Logger } from 'pino';
import type { Variable } from '../settings/variables.js';
import { gatewayVariables, readGatewayConfig } from './config.js';
import type { EndAfterBody, Gateway } from './gateway.js';

/** Names of the environment variables that the command reads. */
export const variableNames = Object.keys(gatewayVariables);

/** What the program gives to this command. */
export interface GatewayHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Returns one line per variable, for `--help`. */
  describeVariables(table: Readonly<Record<string, Variable<unknown>>>): string;
  /** Starts a server with its log, and closes it on SIGTERM or SIGINT. Rejects with an error that names the `settings`. */
  serve<Server extends { close(): Promise<void> }>(
    settings: string,
    logLevel: string,
    start: (log: Logger) => Promise<Server>,
  ): Promise<Server>;
  createEndAfterBody(): EndAfterBody;
}

export function gatewayCommand(host: GatewayHost): Command {
  return new Command('gateway')
    .description(
      'serve the APIs of OpenAI, Anthropic, Azure OpenAI and Ollama, and add the state of the person to each request',
    )
    .addHelpText('after', () => `\nEnvironment variables:\n${host.describeVariables(gatewayVariables)}`)
    .action(() => serveGateway(host));
}

/** Serves the gateway until SIGTERM or SIGINT. */
async function serveGateway({ env, version, serve, createEndAfterBody }: GatewayHost): Promise<void> {
  const config = readGatewayConfig(env);
  const { startGateway } = await import('./gateway.js');
  const { url } = await serve('GATEWAY_HOST and GATEWAY_PORT', config.logLevel, async (log): Promise<Gateway> => {
    const gateway = await startGateway(config, log, createEndAfterBody());
    const upstreams = Object.fromEntries(config.upstreams.map(({ name, base }) => [name, base.href]));
    log.info({ version, url: gateway.url, service: config.serviceUrl, upstreams }, 'started');
    for (const warning of config.warnings) log.warn(warning);
    return gateway;
  });
  console.log(`Listening on ${url}\n\nConfigure the agent:\n`);
  const settings = {
    openai: `OPENAI_BASE_URL=${url}/v1`,
    anthropic: `ANTHROPIC_BASE_URL=${url}`,
    azure: `AZURE_OPENAI_ENDPOINT=${url}`,
    ollama: `OLLAMA_HOST=${url}`,
  };
  for (const kind of new Set(config.upstreams.map((it) => it.kind))) console.log(`  ${settings[kind]}`);
  console.log(`
and send these headers with each request:

  X-State-Key      an API key of the state service (sk_…), or a session token
  X-State-Subject  the hashed id of the person
  X-State-Session  the id of the conversation (optional with an API key and a person)
  X-LLM-Backend    the name of the upstream, if several have the same API
`);
}
