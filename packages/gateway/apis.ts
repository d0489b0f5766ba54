/** The request and response formats of the supported APIs. */

/**
 * Where the instruction goes in a request: a system text before the conversation, a system message after it, a message of
 * the role `developer` before it, or a marked block in the person's newest message.
 */
export type Placement = 'first' | 'last' | 'developer' | 'message';

/** A part of a response: an event of a stream, or the whole response. */
export interface Part {
  readonly text?: unknown;
  /** The reason why the model stopped. */
  readonly stop?: unknown;
  /** True if the model calls a tool, where `stop` does not tell. */
  readonly isCall?: boolean;
}

export interface Api {
  /** Field with the messages. */
  readonly list: 'messages' | 'input' | 'structured_messages';
  /** Field with the system text. Absent: the system text is a leading message. */
  readonly system?: 'system' | 'instructions';
  /** The places of the instruction in which a model may accept it, the best one first. Vendors store the input of Responses. */
  readonly placements: readonly Placement[];
  readPart(body: unknown): Part;
}

const stopsOfCompleteResponses = ['stop', 'length', 'end_turn', 'max_tokens', 'stop_sequence', 'completed'];

export function isComplete({ stop }: Part): boolean {
  return stopsOfCompleteResponses.includes(stop as string);
}

export const chatCompletions: Api = {
  list: 'messages',
  placements: ['first', 'developer', 'message'],
  readPart(body) {
    const choice = readList(get(body, 'choices')).find((it) => (get(it, 'index') ?? 0) === 0);
    return { text: get(get(choice, 'delta') ?? get(choice, 'message'), 'content'), stop: get(choice, 'finish_reason') };
  },
};

export const messages: Api = {
  list: 'messages',
  system: 'system',
  placements: ['first', 'message'],
  readPart(body) {
    const delta = get(body, 'delta');
    const text = get(delta, 'text') ?? readText(get(body, 'content'));
    return { text, stop: get(delta, 'stop_reason') ?? get(body, 'stop_reason') };
  },
};

export const responses: Api = {
  list: 'input',
  // The vendor stores `input` for the later requests of a conversation.
  system: 'instructions',
  placements: ['first'],
  readPart(body) {
    const type = get(body, 'type');
    if (type === 'response.output_text.delta') return { text: get(body, 'delta') };
    const whole = type === 'response.completed' ? get(body, 'response') : body;
    const output = readList(get(whole, 'output'));
    const text = type === undefined ? output.map((it) => readText(get(it, 'content'))).join('') : undefined;
    const isCalling = output.some((it) => String(get(it, 'type')).endsWith('_call'));
    return { text, stop: isCalling ? undefined : get(whole, 'status') };
  },
};

/** A response is one object, or a stream of objects. Only the last one is `done`. */
export const ollamaChat: Api = {
  list: 'messages',
  placements: ['first', 'message'],
  readPart(body) {
    const message = get(body, 'message');
    const stop = get(body, 'done') === true ? (get(body, 'done_reason') ?? 'stop') : undefined;
    return { text: get(message, 'content'), stop, isCall: readList(get(message, 'tool_calls')).length > 0 };
  },
};

/** Returns the text of a message. Images, files and results of tools are not text. */
export function readText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  const isText = (part: unknown) => ['text', 'input_text', 'output_text'].includes(get(part, 'type') as string);
  const texts = readList(content).map((part) => (isText(part) ? get(part, 'text') : ''));
  return texts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .trim();
}

export function get(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
