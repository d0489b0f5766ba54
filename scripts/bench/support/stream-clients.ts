import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** Streams that are opened at the same time. */
const openingAtOnce = 50;

export interface StreamClients {
  close(): void;
}

/**
 * Opens one stream per session, on a connection each. Calls `onReadings` with the session and the number of readings that
 * have arrived. The clients do not parse the events, so that they use little CPU time.
 */
export async function openStreams(
  url: string,
  key: string,
  sessionIds: readonly string[],
  onReadings: (sessionId: string, count: number) => void = () => undefined,
): Promise<StreamClients> {
  const agent = new Agent({ keepAlive: false });
  const waiting = [...sessionIds];
  const openNext = async () => {
    for (let sessionId = waiting.pop(); sessionId !== undefined; sessionId = waiting.pop())
      await openOne(agent, url, key, sessionId, onReadings);
  };
  await Promise.all(Array.from({ length: openingAtOnce }, openNext));
  return { close: () => agent.destroy() };
}

async function openOne(
  agent: Agent,
  url: string,
  key: string,
  sessionId: string,
  onReadings: (sessionId: string, count: number) => void,
): Promise<void> {
  const headers = { 'X-Service-Key': key };
  const sent = request(`${url}/v1/stream?events=reading&session_id=${sessionId}`, { agent, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`a stream got status ${response.statusCode}`);
  // Closing the agent breaks the connections.
  response.on('error', () => undefined);
  // The start of an incomplete line.
  let rest = '';
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const text = rest + chunk;
    rest = text.slice(text.lastIndexOf('\n'));
    const count = text.split('\nevent: reading\n').length - 1;
    if (count > 0) onReadings(sessionId, count);
  });
}
