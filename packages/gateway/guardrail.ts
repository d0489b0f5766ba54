/**
 * The Generic Guardrail API of LiteLLM (beta): LiteLLM sends the texts of a request, and gets them back with the state in
 * the system text.
 */
import { hashId } from './headers.js';
import { type Api, get } from './apis.js';
import { append, type Conversation, describeConversation, messageDepth } from './conversation.js';
import { findField, type JsonText, type Member, openJson } from './json-text.js';

export const guardrailPath = '/beta/litellm_basic_guardrail_api';
/** Leaves the request as it is. */
export const unchanged = '{"action":"NONE"}';
/** Which of LiteLLM's ids is the person: that of the request's `user`, or the owner of LiteLLM's key. */
export const litellmSubjects = { end_user: 'user_api_key_end_user_id', user: 'user_api_key_user_id' } as const;

const rows: Api = {
  list: 'structured_messages',
  placements: ['first'],
  readPart: () => ({}),
};

/** A request of a model that LiteLLM asks about. */
export interface GuardrailCall {
  /** The hashed id of the person. */
  readonly subjectId: string;
  readonly conversation: Conversation;
  /** Returns the answer with the instruction at the end of the last system text. Undefined if there is none. */
  adapt(instruction: string): Promise<string | undefined>;
}

/**
 * Reads the body of a call. Resolves with undefined for a response of a model, without a person or rows, and for a body
 * that is no such call. Rejects with UnreadableJson for bytes that are no JSON.
 */
export async function readGuardrailCall(
  body: Buffer,
  subject: keyof typeof litellmSubjects,
): Promise<GuardrailCall | undefined> {
  const json = openJson(body);
  const fields = await json.findMembers(0);
  const data = await json.readValue(findField(fields, 'request_data'), 1);
  const id = get(data, litellmSubjects[subject]);
  const [messages, texts] = [findField(fields, 'structured_messages'), findField(fields, 'texts')];
  const isRequest = (await json.readValue(findField(fields, 'input_type'), 0)) === 'request';
  if (!isRequest || typeof id !== 'string' || id === '' || !messages || !texts) return undefined;
  return {
    conversation: await describeConversation(rows, json, fields),
    subjectId: hashId(litellmSubjects[subject], id),
    async adapt(instruction) {
      const text = await findSystemText(json, messages, texts);
      const edit = text && (await append(json, text, instruction));
      if (!edit) return undefined;
      const adapted = [body.subarray(texts.start, edit.start), edit.text, body.subarray(edit.end, texts.end)].join('');
      return `{"action":"GUARDRAIL_INTERVENED","texts":${adapted}}`;
    },
  };
}

/** Returns the last text of a system message. LiteLLM lists the texts of all messages in their order. */
async function findSystemText(json: JsonText, messages: Member, texts: Member): Promise<Member | undefined> {
  let count = 0;
  let found: { readonly at: number; readonly text: unknown } | undefined;
  for (const row of await json.findMembers(messages.start)) {
    const message = await json.readValue(row, messageDepth);
    const own = listTexts(get(message, 'content'));
    count += own.length;
    if (own.length > 0 && ['system', 'developer'].includes(get(message, 'role') as string))
      found = { at: count - 1, text: own.at(-1) };
  }
  const listed = await json.findMembers(texts.start);
  const text = found && listed.length === count ? listed[found.at] : undefined;
  return text && (await json.readValue(text, 0)) === found?.text ? text : undefined;
}

function listTexts(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [content];
  const parts = Array.isArray(content) ? content : [];
  return parts.map((it) => get(it, 'text')).filter((text) => typeof text === 'string');
}
