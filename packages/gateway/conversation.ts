import { type Api, get, type Placement, readText } from './apis.js';
import { findField, type JsonText, type Member, openJson, UnreadableJson } from './json-text.js';

/** The newest message of the person in a request. */
export interface Message {
  readonly text: string;
  /** Number of messages before it. Distinguishes two messages with the same text. */
  readonly position: number;
  /** False if the model has responded to it, e.g. with a tool call. */
  readonly isNewest: boolean;
}

/** The person and the conversation of a request, as its body names them. */
export interface Origin {
  /** Undefined if the body names no person. */
  readonly user: unknown;
  /**
   * The same for all requests of a conversation: its id, or its first message. Empty if later requests of the conversation
   * do not repeat it.
   */
  readonly start: string;
}

/** Where the operator puts the instruction in Chat Completions. `auto`: where the model accepts it. */
export type Placing = 'first' | 'last' | 'auto';

/** The parts of a request that the gateway reads and changes. */
export interface Conversation {
  /** Undefined if the request has no text of a person. */
  readonly message: Message | undefined;
  readonly model: unknown;
  readonly placements: readonly Placement[];
  /** Reads what identifies the person and the conversation, for a request without headers for them. */
  readOrigin(): Promise<Origin>;
  /** Returns the parts of the body with the instruction. Undefined if the body has an unknown shape. */
  adapt(instruction: string, placement: Placement): Promise<Buffer[] | undefined>;
  /** Returns the body with another name of the model. */
  renameModel(name: string): Buffer;
}

/** New text for the bytes from `start` to `end`. */
type Edit = Omit<Member, 'key'> & { readonly text: string };

const [quote, openArray] = Buffer.from('"[');
/** A message has a list of parts, and each part has fields. */
export const messageDepth = 3;

/** Returns undefined for a text that is not JSON, and for one with too much structure. */
export async function readConversation(api: Api, text: Buffer | undefined) {
  if (!text) return undefined;
  return unlessUnreadable(async () => {
    const json = openJson(text);
    return describeConversation(api, json, await json.findMembers(0));
  });
}

/** Reads the conversation from the fields of a request. Rejects with UnreadableJson. */
export async function describeConversation(api: Api, json: JsonText, fields: readonly Member[]): Promise<Conversation> {
  const { bytes } = json;
  const list = findField(fields, api.list);
  const items = list && bytes[list.start] === openArray ? await json.findMembers(list.start) : [];
  // The input of Responses may be a string.
  const text = readText(await json.readValue(list, 0));
  const message = text === '' ? await readNewestMessage(json, items) : { text, position: 0, isNewest: true };
  const model = findField(fields, 'model');
  const replace = ({ start, end, text: added }: Edit) => [
    bytes.subarray(0, start),
    Buffer.from(added),
    bytes.subarray(end),
  ];
  return {
    message,
    placements: api.placements,
    model: await json.readValue(model, 0),
    readOrigin: async () => ({
      user: await readUser(json, fields),
      start: (await readConversationId(json, fields)) ?? (text === '' ? await readFirstMessage(json, items) : text),
    }),
    adapt: (instruction, placement) =>
      unlessUnreadable(async () => {
        const edit =
          placement === 'message'
            ? await editMessage(json, message && items[message.position], instruction)
            : api.system
              ? await editField(json, fields, api.system, instruction)
              : await editMessages(json, items, instruction, placement);
        return edit && replace(edit);
      }),
    renameModel: (name) => Buffer.concat(model ? replace({ ...model, text: JSON.stringify(name) }) : [bytes]),
  };
}

async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  return read().catch((error: unknown) => {
    if (error instanceof UnreadableJson) return undefined;
    throw error;
  });
}

/** Reads from the end, because a conversation may be long. */
async function readNewestMessage(json: JsonText, items: readonly Member[]): Promise<Message | undefined> {
  const laterRoles: unknown[] = [];
  for (let position = items.length - 1; position >= 0; position -= 1) {
    const item = await json.readValue(items[position], messageDepth);
    const role = get(item, 'role');
    const text = role === 'user' ? readText(get(item, 'content')) : '';
    // A last message of the assistant is the start of the response to the newest message.
    const isStarted = laterRoles.length === 1 && laterRoles[0] === 'assistant';
    const isNewest = isStarted || laterRoles.every((it) => ['user', 'system', 'developer'].includes(it as string));
    if (text !== '') return { text, position, isNewest };
    laterRoles.push(role);
  }
  return undefined;
}

async function readUser(json: JsonText, fields: readonly Member[]): Promise<unknown> {
  const read = (key: string, depth: number) => json.readValue(findField(fields, key), depth);
  return (await read('safety_identifier', 0)) ?? (await read('user', 0)) ?? get(await read('metadata', 1), 'user_id');
}

/** Returns the id of a conversation that the vendor stores. Empty if only its previous response is known. */
async function readConversationId(json: JsonText, fields: readonly Member[]): Promise<string | undefined> {
  const conversation = await json.readValue(findField(fields, 'conversation'), 1);
  const id = get(conversation, 'id') ?? conversation;
  if (typeof id === 'string') return id;
  return typeof (await json.readValue(findField(fields, 'previous_response_id'), 0)) === 'string' ? '' : undefined;
}

async function readFirstMessage(json: JsonText, items: readonly Member[]): Promise<string> {
  for (const it of items) {
    const item = await json.readValue(it, messageDepth);
    const text = get(item, 'role') === 'user' ? readText(get(item, 'content')) : '';
    if (text !== '') return text;
  }
  return '';
}

async function editField(json: JsonText, fields: readonly Member[], key: string, instruction: string) {
  const [field, last] = [findField(fields, key), fields.at(-1)];
  if (field) return append(json, field, instruction);
  return last && insertAt(last.end, `,"${key}":${JSON.stringify(instruction)}`);
}

async function editMessages(json: JsonText, items: readonly Member[], instruction: string, placement: Placement) {
  const [first, last] = [items[0], items.at(-1)];
  if (!first || !last) return undefined;
  const role = get(await json.readValue(first, 1), 'role');
  const isSystem = role === 'system' || role === 'developer';
  // Some models accept only one of the two roles in a request.
  const added = placement === 'developer' ? 'developer' : 'system';
  const message = JSON.stringify({ role: isSystem ? role : added, content: instruction });
  if (placement !== 'last') {
    if (!isSystem) return insertAt(first.start, `${message},`);
    const content = findField(await json.findMembers(first.start), 'content');
    return content && append(json, content, instruction);
  }
  // The model continues a last message of the assistant, so that message stays the last one.
  const isContinued = get(await json.readValue(last, 1), 'role') === 'assistant';
  return isContinued ? insertAt(last.start, `${message},`) : insertAt(last.end, `,${message}`);
}

/** Inserts a marked block before the text of a message, which stays as it is. */
async function editMessage(
  json: JsonText,
  message: Member | undefined,
  instruction: string,
): Promise<Edit | undefined> {
  const content = message && findField(await json.findMembers(message.start), 'content');
  if (!content) return undefined;
  const block = JSON.stringify(`<note_of_the_app>\n${instruction}\n</note_of_the_app>\n\n`);
  if (json.bytes[content.start] === quote) return insertAt(content.start + 1, block.slice(1, -1));
  if (json.bytes[content.start] !== openArray) return undefined;
  // Not at the start: results of tools must precede texts.
  for (const part of await json.findMembers(content.start))
    if (get(await json.readValue(part, 1), 'type') === 'text')
      return insertAt(part.start, `{"type":"text","text":${block}},`);
  return undefined;
}

/** Appends to a system text: a string, a list of blocks, or nothing. After the last block, its `cache_control` still applies. */
export async function append(json: JsonText, { start, end }: Member, instruction: string): Promise<Edit | undefined> {
  const text = JSON.stringify(instruction);
  if (['""', 'null'].includes(json.bytes.toString('latin1', start, Math.min(end, start + 5))))
    return { start, end, text };
  if (json.bytes[start] === quote) return insertAt(end - 1, `\\n\\n${text.slice(1, -1)}`);
  if (json.bytes[start] !== openArray) return undefined;
  const last = (await json.findMembers(start)).at(-1);
  return insertAt(last?.end ?? start + 1, `${last ? ',' : ''}{"type":"text","text":${text}}`);
}

function insertAt(at: number, text: string): Edit {
  return { start: at, end: at, text };
}
