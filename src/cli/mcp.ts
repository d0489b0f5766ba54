import { Command, Option } from 'commander';
import type { SendRequest } from '../mcp/call-tool.js';
import { agentConfigurations } from '../mcp/setup.js';

const timeoutMs = 30_000;

interface Options {
  readonly url: string;
  readonly key?: string;
}

/** The command `mcp`. Its options default to SERVICE_URL and SERVICE_KEY, which its own --help lists. */
export function mcpCommand(): Command {
  const url = new Option('--url <url>', 'URL of the service').env('SERVICE_URL').default('http://127.0.0.1:8080');
  const key = new Option('--key <key>', 'API key').env('SERVICE_KEY');
  const mcp = new Command('mcp')
    .addOption(url)
    .addOption(key)
    .description('serve the Model Context Protocol of a running service on standard input and output')
    .action(async ({ url, key }: Options) => {
      const send = sendOver(url, requireKey(key));
      const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
      const { createMcpServer } = await import('../mcp/server.js');
      serveStdio(() => createMcpServer(send, Date.now));
    });
  return mcp.addCommand(
    new Command('setup')
      .description('print the configuration of common agents; writes no file')
      .action((_: unknown, command: Command) => {
        const { url, key }: Options = command.optsWithGlobals();
        console.log(agentConfigurations(url, key ?? 'sk_YOUR_KEY'));
      }),
  );
}

function requireKey(key: string | undefined): string {
  if (!key) throw new Error('an API key is missing: pass --key or set SERVICE_KEY');
  return key;
}

/** Sends requests to the service at the URL. A missing response becomes a retryable error. */
function sendOver(url: string, key: string): SendRequest {
  const headers = { 'X-Service-Key': key, 'Content-Type': 'application/json' };
  return async ({ method, url: path, body }) => {
    try {
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
      const answer = await fetch(new URL(path, url), { ...init, signal: AbortSignal.timeout(timeoutMs) });
      const retryAfter = answer.headers.get('retry-after') ?? undefined;
      return { status: answer.status, retryAfter, body: await answer.json() };
    } catch (error) {
      const detail = `no response from ${url}: ${(error as Error).message}. Check that the service runs`;
      return { status: 503, retryAfter: '1', body: { code: 'service_unavailable', detail, request_id: 'none' } };
    }
  };
}
