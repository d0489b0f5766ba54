import { Command, InvalidArgumentError, Option } from 'commander';
import { parseUrl } from '../../packages/settings/parse-url.js';
import type { OperationRequest, SendRequest } from '../http/call-tool.js';
import { agentConfigurations, describeConfigurations, describeNextStep, writeConfiguration } from '../http/setup.js';

const timeoutMs = 30_000;

interface Options {
  readonly url: string;
  readonly key?: string;
  readonly write?: readonly string[];
}

/** Creates the `mcp` command. Its options default to SERVICE_URL and SERVICE_KEY, which `mcp --help` lists. */
export function createMcpCommand(): Command {
  const url = new Option('--url <url>', 'URL of the service')
    .env('SERVICE_URL')
    .argParser(readUrl)
    .default('http://127.0.0.1:8080');
  const key = new Option('--key <key>', 'API key').env('SERVICE_KEY');
  const mcp = new Command('mcp')
    .addOption(url)
    .addOption(key)
    .description('serve the Model Context Protocol of a running service on standard input and output')
    .action(async ({ url, key }: Options) => {
      const send = sendOver(url, requireKey(key));
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
      const { createMcpServer } = await import('../http/mcp-server.js');
      serveStdio(() => createMcpServer(send, Date.now));
    });
  return mcp.addCommand(setupCommand());
}

function setupCommand(): Command {
  const agents = agentConfigurations('http://localhost', '').map(({ agent }) => agent);
  const write = new Option('--write <agents...>', 'add the service to the files of these agents').choices(agents);
  return new Command('setup')
    .addOption(write)
    .description('print configurations for common agents. Writes a file only with --write')
    .action(async (_: unknown, command: Command) => {
      const { url, key, write = [] }: Options = command.optsWithGlobals();
      const configurations = agentConfigurations(url, key ?? 'sk_YOUR_KEY');
      if (write.length === 0) return console.log(describeConfigurations(configurations));
      const selected = configurations.filter(({ agent }) => write.includes(agent));
      if (selected.some(({ containsKey }) => containsKey)) requireKey(key);
      for (const configuration of selected) {
        await writeConfiguration(configuration);
        console.log(`wrote ${configuration.file}: ${describeNextStep(configuration)}`);
      }
    });
}

/** Returns the URL. Otherwise throws an error, to which the command adds the name of the option and of the variable. */
function readUrl(text: string): string {
  const isHttp = /^https?:$/.test(parseUrl(text)?.protocol ?? '');
  if (!isHttp) throw new InvalidArgumentError('It must start with http:// or https://.');
  return text;
}

function requireKey(key: string | undefined): string {
  if (!key) throw new Error('an API key is missing: pass --key or set SERVICE_KEY');
  return key;
}

/**
 * Returns a function that sends requests to the service at the URL. If the service does not respond, the function
 * returns a retryable error.
 */
function sendOver(url: string, key: string): SendRequest {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  return async (request) => {
    const { definition, body } = request;
    try {
      const init = {
        method: definition.method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      const response = await fetch(new URL(toPath(request), url), { ...init, signal: AbortSignal.timeout(timeoutMs) });
      const retryAfter = response.headers.get('retry-after') ?? undefined;
      return { status: response.status, retryAfter, body: await response.json() };
    } catch (error) {
      const detail = `no response from ${url}: ${(error as Error).message}. Check that the service is running`;
      return { status: 503, retryAfter: '1', body: { code: 'service_unavailable', detail, request_id: 'none' } };
    }
  };
}

function toPath({ definition, params, query }: OperationRequest): string {
  const path = Object.entries(params).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    definition.template,
  );
  const search = new URLSearchParams(query).toString();
  return search === '' ? path : `${path}?${search}`;
}
