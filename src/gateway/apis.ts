/** The request and response formats of the supported APIs. */
import { findField, findMembers, insertAt } from './json-text.js';

export type Provider = 'openai' | 'anthropic';

/** The newest message of the person in a request. */
export interface Message {
  readonly text: string;
  /** Number of messages of the person up to this one. Distinguishes two messages with the same text. */
  readonly position: number;
  /** False if the model has responded to it, e.g. with a tool call. */
  readonly isNewest: boolean;
}

/** A part of a response: an event of a stream, or the whole response. */
export interface Part {
  readonly text?: unknown;
  /** The reason why the model stopped. */
  readonly stop?: unknown;
}

export interface Api {
  readonly provider: Provider;
  /** Returns undefined if the body has no text of a person. */
  readMessage(body: unknown): Message | undefined;
  /** Returns the body with the instruction as its last system text. Undefined if the body has an unknown shape. */
  addInstruction(json: string, body: unknown, instruction: string): string | undefined;
  readPart(body: unknown): Part;
}

const stopsOfCompleteResponses = ['stop', 'length', 'end_turn', 'max_tokens', 'stop_sequence', 'completed'];

export function isComplete({ stop }: Part): boolean {
  return stopsOfCompleteResponses.includes(stop as string);
}

const chatCompletions: Api = {
  provider: 'openai',
  readMessage: (body) => readMessage(get(body, 'messages')),
  /**
   * Adds a message at the end, so that the whole conversation stays a prefix that the vendor can cache. A last message of
   * the assistant stays the last message, because the model continues it.
   */
  addInstruction(json, body, instruction) {
    const messages = readList(get(body, 'messages'));
    const field = findField(json, 'messages');
    const last = field && findMembers(json, field.start).at(-1);
    if (!last) return undefined;
    // Some models accept only one of the two roles in a request.
    const role = messages.some((it) => get(it, 'role') === 'developer') ? 'developer' : 'system';
    const message = JSON.stringify({ role, content: instruction });
    const isContinued = get(messages.at(-1), 'role') === 'assistant';
    return isContinued ? insertAt(json, last.start, `${message},`) : insertAt(json, last.end, `,${message}`);
  },
  readPart(body) {
    const choice = readList(get(body, 'choices')).find((it) => (get(it, 'index') ?? 0) === 0);
    return { text: get(get(choice, 'delta') ?? get(choice, 'message'), 'content'), stop: get(choice, 'finish_reason') };
  },
};

const messages: Api = {
  provider: 'anthropic',
  readMessage: (body) => readMessage(get(body, 'messages')),
  /** Adds a block after all other blocks, so that a `cache_control` of an earlier block still applies. */
  addInstruction(json, _, instruction) {
    const block = JSON.stringify({ type: 'text', text: instruction });
    const field = findField(json, 'system');
    if (!field) return insertAt(json, json.indexOf('{') + 1, `"system":[${block}],`);
    const replace = (text: string) => json.slice(0, field.start) + text + json.slice(field.end);
    const value = json.slice(field.start, field.end);
    if (value === '""' || value === 'null') return replace(`[${block}]`);
    if (value.startsWith('"')) return replace(`[{"type":"text","text":${value}},${block}]`);
    if (!value.startsWith('[')) return undefined;
    const last = findMembers(json, field.start).at(-1);
    return last ? insertAt(json, last.end, `,${block}`) : replace(`[${block}]`);
  },
  readPart(body) {
    const delta = get(body, 'delta');
    const text = get(delta, 'text') ?? readText(get(body, 'content'));
    return { text, stop: get(delta, 'stop_reason') ?? get(body, 'stop_reason') };
  },
};

const responses: Api = {
  provider: 'openai',
  readMessage(body) {
    const input = get(body, 'input');
    return readMessage(typeof input === 'string' ? [{ role: 'user', content: input }] : input);
  },
  /** Changes `instructions`, because the vendor stores `input` for the later requests of a conversation. */
  addInstruction(json, _, instruction) {
    const text = JSON.stringify(instruction);
    const field = findField(json, 'instructions');
    if (!field) return insertAt(json, json.indexOf('{') + 1, `"instructions":${text},`);
    const value = json.slice(field.start, field.end);
    if (value === 'null') return json.slice(0, field.start) + text + json.slice(field.end);
    return value.startsWith('"') ? insertAt(json, field.end - 1, `\\n\\n${text.slice(1, -1)}`) : undefined;
  },
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

/** The APIs by path. Requests to other paths are forwarded unchanged. */
export const apis: ReadonlyMap<string, Api> = new Map([
  ['/v1/chat/completions', chatCompletions],
  ['/v1/messages', messages],
  ['/v1/responses', responses],
]);

function readMessage(list: unknown): Message | undefined {
  const items = readList(list);
  const texts = items.map((item) => (get(item, 'role') === 'user' ? readText(get(item, 'content')) : ''));
  const index = texts.findLastIndex((text) => text !== '');
  if (index < 0) return undefined;
  const later = items.slice(index + 1);
  // A last message of the assistant is the start of the response to the newest message.
  if (later.length === 1 && get(later[0], 'role') === 'assistant') later.pop();
  return {
    text: texts[index] as string,
    position: texts.filter((text) => text !== '').length,
    isNewest: later.every((item) => ['user', 'system', 'developer'].includes(get(item, 'role') as string)),
  };
}

/** Returns the text of a message. Images, files and results of tools are not text. */
function readText(content: unknown): string {
  if (typeof content === 'string') return content.trim();
  const isText = (part: unknown) => ['text', 'input_text', 'output_text'].includes(get(part, 'type') as string);
  const texts = readList(content).map((part) => (isText(part) ? get(part, 'text') : ''));
  return texts
    .filter((text) => typeof text === 'string')
    .join('\n')
    .trim();
}

function get(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
