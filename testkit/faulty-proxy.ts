import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from './listen.js';

/**
 * Kinds of faults. `none` forwards a request. `lost` means that the service processes the request, but the connection breaks before the response.
 * `cut after a reading` means that the connection breaks after the first reading of a stream or export.
 */
export type Fault =
  | 'none'
  | 'bad gateway'
  | 'dropped'
  | 'lost'
  | 'slow'
  | 'rate limited'
  | 'unavailable'
  | 'cut after a reading';

/** Headers that belong to one connection, or that `fetch` sets itself. */
const ofConnection = ['connection', 'content-length', 'content-encoding', 'host', 'keep-alive', 'transfer-encoding'];

/**
 * Starts a proxy in front of the service. Each request gets the next fault. When no fault remains, requests are
 * forwarded. `PUT /faults` replaces the faults, for clients in other processes.
 */
export function startFaultyProxy(target: string, faults: Fault[] = []): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/faults') return void replace(faults, request, response);
    pass(target, faults.shift(), request, response).catch(() => response.destroy());
  });
  return listen(server);
}

/** Makes the proxy at the URL answer the next requests with these faults. */
export async function injectFaults(proxy: string, faults: readonly Fault[]): Promise<void> {
  await fetch(`${proxy}/faults`, { method: 'PUT', body: JSON.stringify(faults) });
}

async function replace(faults: Fault[], request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString();
  faults.splice(0, faults.length, ...(JSON.parse(body) as Fault[]));
  response.end();
}

async function pass(
  target: string,
  fault: Fault | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = Buffer.concat(await request.toArray());
  if (fault === 'dropped') return void request.socket.destroy();
  // The client's timeout ends the request first.
  if (fault === 'slow') return;
  if (fault === 'bad gateway') return void response.writeHead(502).end('<html>Bad Gateway</html>');
  if (fault === 'rate limited' || fault === 'unavailable')
    return void response.writeHead(fault === 'unavailable' ? 503 : 429, { 'Retry-After': '1' }).end('{}');
  const closed = new AbortController();
  response.once('close', () => closed.abort());
  const { method = 'GET', url = '/', headers } = request;
  const content = body.length > 0 ? { body } : {};
  const answer = await fetch(target + url, { method, headers: forwarded(headers), ...content, signal: closed.signal });
  if (fault === 'lost') {
    await answer.arrayBuffer();
    return void request.socket.destroy();
  }
  const kept = [...answer.headers].filter(([name]) => !ofConnection.includes(name));
  response.writeHead(answer.status, Object.fromEntries(kept));
  if (fault === 'cut after a reading') return sendFirstReading(answer, response);
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}

function forwarded(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !ofConnection.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

/** Sends a stream or an export up to the end of its first reading. The connection then ends inside the response. */
async function sendFirstReading(answer: Response, response: ServerResponse): Promise<void> {
  let received = '';
  for await (const text of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    received += text;
    const [first] = /^(?:\{.*?\n|.*?event: reading\n.*?\n\n)/s.exec(received) ?? [];
    if (first === undefined) continue;
    response.write(first);
    return void response.socket?.end();
  }
}
