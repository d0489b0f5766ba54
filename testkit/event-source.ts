import { onTestFinished } from 'vitest';
import { until } from './until.js';

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  /** The parsed data. */
  readonly data: ReturnType<JSON['parse']>;
}

/** A client of the stream that stores the received events. */
export interface EventClient {
  readonly response: Response;
  /** Returns all received data as text. */
  text(): string;
  events(): readonly ReceivedEvent[];
  /** Resolves with the events when at least `count` have arrived. Excludes `ready`. */
  until(count: number): Promise<readonly ReceivedEvent[]>;
  isEnded(): boolean;
  close(): Promise<void>;
}

/** Opens a stream. It closes when the test ends. */
export async function openStream(
  service: { readonly url: string; readonly key: string },
  query: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = { 'X-Service-Key': service.key },
): Promise<EventClient> {
  const abort = new AbortController();
  const url = `${service.url}/v1/stream?${new URLSearchParams(query)}`;
  const response = await fetch(url, { headers, signal: abort.signal });
  let text = '';
  let isEnded = false;
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += chunk;
  };
  const reading = read()
    .catch(() => undefined)
    .finally(() => (isEnded = true));
  const close = async () => {
    abort.abort();
    await reading;
  };
  onTestFinished(close);
  const client = {
    response,
    text: () => text,
    events: () => eventsOf(text),
    async until(count: number) {
      const found = () => client.events().filter(({ type }) => type !== 'ready');
      await until(`${count} events arrive`, async () => found().length >= count);
      return found();
    },
    isEnded: () => isEnded,
    close,
  };
  if (response.ok) await until('the stream is ready', async () => client.events().length > 0);
  return client;
}

/** Parses complete events. Skips events without data, e.g. `retry` alone. */
function eventsOf(text: string): ReceivedEvent[] {
  const blocks = text.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]));
    const data = fields.get('data');
    return data === undefined
      ? []
      : [{ id: fields.get('id') ?? '', type: fields.get('event') ?? '', data: JSON.parse(data) }];
  });
}
