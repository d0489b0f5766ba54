import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';

/** A request as the upstream received it. */
export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Responding = (request: ModelRequest, response: ServerResponse, incoming: IncomingMessage) => unknown;

/** A server on loopback in the place of the API of a vendor. */
export interface ModelUpstream {
  readonly url: string;
  /** All requests, in order of arrival. */
  readonly requests: readonly ModelRequest[];
  /** Sets the responses to the next requests. Without one, the response is `Which part worries you?`. */
  respond(...next: Responding[]): void;
  close(): void;
}

const defaultText = 'Which part worries you?';

/** With `readsBodies` false, the bodies of requests are discarded. */
export async function openModelUpstream({ readsBodies = true } = {}): Promise<ModelUpstream> {
  const requests: ModelRequest[] = [];
  const next: Responding[] = [];
  const server = createServer(async (incoming, response) => {
    const { url: path = '', headers } = incoming;
    const body = readsBodies ? (await buffer(incoming)).toString() : '';
    if (!readsBodies) await finished(incoming.resume());
    const request = { path, headers, body };
    requests.push(request);
    await (next.shift() ?? respondWithText(defaultText))(request, response, incoming);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respond: (...responding) => void next.push(...responding),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Responds in the format of the path, as a stream if the request asks for one. */
export function respondWithText(content: string): Responding {
  return ({ path: target, body }, response) => {
    const path = target.replace(/\?.*/, '');
    const isStreamed = body.includes('"stream":true');
    if (path.endsWith('/chat/completions'))
      return isStreamed
        ? sendEvents(response, [
            ...words(content).map((it) => chatChunk({ content: it })),
            chatChunk({}, 'stop'),
            '[DONE]',
          ])
        : sendJson(response, chatResponse({ role: 'assistant', content }, 'stop'));
    if (path.endsWith('/api/chat'))
      return body.includes('"stream":false')
        ? sendJson(response, { ...ollamaParts('').at(-1), message: { role: 'assistant', content } })
        : sendLines(response, ollamaParts(content));
    if (path.endsWith('/responses'))
      return isStreamed ? sendEvents(response, responseEvents(content)) : sendJson(response, responseObject(content));
    if (path.endsWith('/messages'))
      return isStreamed
        ? sendEvents(response, anthropicEvents(content))
        : sendJson(response, anthropicMessage([{ type: 'text', text: content }], 'end_turn'));
    return sendJson(response, { object: 'list', data: [] });
  };
}

export function sendJson(response: ServerResponse, body: object, status = 200, headers = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
}

/** Sends one object per line (NDJSON). */
export function sendLines(response: ServerResponse, lines: readonly object[]): void {
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
  for (const line of lines) response.write(`${JSON.stringify(line)}\n`);
  response.end();
}

/** Returns the parts of a response of Ollama. The last one is whole, as a response that is no stream. */
export function ollamaParts(content: string, message: object = {}): object[] {
  const part = (text: string, more: object) => ({
    ...{ model: 'm', created_at: '2026-11-28T09:00:00Z' },
    ...{ message: { role: 'assistant', content: text, ...message }, ...more },
  });
  return [...words(content).map((it) => part(it, { done: false })), part('', { done: true, done_reason: 'stop' })];
}

/** Sends server-sent events. An object with `type` has the name of its type, as Anthropic and OpenAI Responses send it. */
export function sendEvents(response: ServerResponse, events: ReadonlyArray<object | string>): void {
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  for (const event of events) response.write(formatEvent(event));
  response.end();
}

export function formatEvent(event: object | string): string {
  const name = typeof event === 'object' && 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;
}

export function chatResponse(message: object, finish_reason: string): object {
  const choices = [{ index: 0, message, finish_reason, logprobs: null }];
  return { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage };
}

export function chatChunk(delta: object, finish_reason: string | null = null): object {
  return {
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  };
}

export function anthropicMessage(content: readonly object[], stop_reason: string | null): object {
  const counts = { input_tokens: 1, output_tokens: 1 };
  return {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content,
    stop_reason,
    stop_sequence: null,
    usage: counts,
  };
}

function anthropicEvents(content: string): object[] {
  return [
    { type: 'message_start', message: anthropicMessage([], null) },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
    ...words(content).map((text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ];
}

function responseObject(text: string): object {
  const content = [{ type: 'output_text', text, annotations: [] }];
  const output = [{ id: 'o1', type: 'message', role: 'assistant', status: 'completed', content }];
  return { id: 'r1', object: 'response', created_at: 1, model: 'm', status: 'completed', output };
}

function responseEvents(content: string): object[] {
  const place = { item_id: 'o1', output_index: 0, content_index: 0 };
  return [
    { type: 'response.created', response: { ...responseObject(''), status: 'in_progress' } },
    ...words(content).map((delta) => ({ type: 'response.output_text.delta', delta, ...place })),
    { type: 'response.completed', response: responseObject(content) },
  ];
}

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Splits a text so that the parts together are the text. */
function words(content: string): string[] {
  return content.split(/(?<= )/);
}
