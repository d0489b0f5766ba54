// A copy of packages/text/own-words.ts by `npm run generate`. Edit that file instead.

/**
 * The person's own words of a message: without code, quoted replies, and what front ends and agents add. This file imports
 * nothing, because a copy is generated for the TypeScript client (`npm run generate`).
 */

/** Tags around words that are not the person's, by the front end that writes them. Several front ends share the first ones. */
export const contextTags = {
  any: 'context source sources document documents attachment attachments search_results retrieved_context blockquote tool_result tool_results function_results',
  openWebUi: 'chat_history conversation_history memory user_context type',
  libreChat: 'files file contextitem',
  cline:
    'environment_details file_content final_file_content folder_content url_content explicit_instructions terminal_output workspace_diagnostics git_working_state git_commit',
  claudeCode:
    'system-reminder command-name command-message local-command-stdout local-command-stderr bash-input bash-stdout bash-stderr ide_selection ide_opened_file task-notification user-prompt-submit-hook',
  n8n: 'retrieved_documents chunk',
} as const;

/**
 * Beginnings of prompts that a front end writes around the person's words. The words begin after the last `until`. A
 * message without it is judged whole, so that a beginning hides nothing. Without `until`, the prompt has no such words: its
 * beginning is a whole sentence.
 */
export const prompts: ReadonlyArray<{ readonly begin: RegExp; readonly until?: RegExp; readonly end?: RegExp }> = [
  // Open WebUI: requests for titles and answers from documents. Its older form repeats the question in a tag.
  { begin: /^\s*### Task:/, until: /<\/(?:context|chat_history)>|<user_query>/gi, end: /<\/user_query>/i },
  // n8n and LangChain: answers from documents.
  {
    begin: /^\s*Use the following pieces of context to answer/,
    until: /^(?:Question|User question):/gm,
    end: /^(?:Helpful )?Answer:/m,
  },
  {
    begin: /^\s*You are an assistant for question-answering tasks\. Use the following pieces of retrieved context/,
    until: /^\s*You are an assistant[\s\S]*?^Question:/gm,
    end: /^Context:/m,
  },
  // LangChain: a request to rephrase a question of an earlier message.
  { begin: /^\s*Given the following conversation and a follow up question, rephrase the follow up question to be a/ },
  // LibreChat: requests for titles.
  { begin: /^\s*Provide a concise, 5-word-or-less title for the conversation\b[\s\S]{0,300}\bonly return the title/i },
  { begin: /^\s*Analyze this conversation and provide:\s+1\. The detected language of the conversation\s+2\. A/ },
  { begin: /^\s*Please generate a concise title \(max 40 characters\) for a conversation that starts with/i },
];

export const tags = new Set(Object.values(contextTags).flatMap((names) => names.split(' ')));
export const anyTag = /<(\/?)([a-z][\w-]*)(?:\s[^<>]*)?>/gi;
/** Tags of Cline around the person's words, which stay. A tool's result, which has no tag, ends before them. */
export const ownTags = new Set(['feedback', 'task', 'user_message', 'answer']);
export const resultHeader = /^\[\w+(?: for '[^'\n]*')?\] Result:/gm;
/** A line in front of attached documents. */
export const leadIn = /^Attached document\(s\):[ \t]*$/gm;
export const fence = /^[ \t]*(`{3,}|~{3,})(.*)$/;
export const mayHaveOthers = /[<>]|```|~~~|\] Result:|the following |conversation|\d:\d\d|":|[a-z]:(?:[ \t]|$)|--- /m;

/** Kinds of text that is not the person's, as the contract names them. */
export type RemovedKind = 'quote' | 'code' | 'context' | 'tool_result' | 'prompt';

/**
 * Forms of others' words by their structure. Of a form that states who wrote, the person's own lines (`Me:`) stay. A mail
 * has no end, so it reaches to the end of the message.
 */
export const forms: ReadonlyArray<readonly [kind: RemovedKind, form: RegExp]> = [
  // Forwarded mail, and the headers of a mail.
  ['quote', /^[ \t]*(?:-{3,} ?(?:Original Message|Forwarded message) ?-{3,}|Begin forwarded message:)[\s\S]*/gim],
  ['quote', /^(?:(?:From|To|Cc|Date|Sent|Subject|Reply-To):[ \t][^\n]*\n){2}[\s\S]*/gm],
  // Attributions: the paragraph after "On Monday, Anna wrote:", and the quotation after "he said:".
  ['quote', /^On [^\n]{3,120} wrote:[ \t]*(?:\n[^\n]+)*/gm],
  ['quote', /\b(?:he|she|they|[A-Z][a-z]+) (?:said|says|wrote|writes|texted):[ \t]*\n?[ \t]*(?:"[^"\n]*"|“[^”\n]*”)/g],
  // Subtitles.
  ['quote', /^(?:\d+\n)?(?:\d+:)?\d+:\d\d[.,]\d{3} --> [^\n]*(?:\n[^\n]+)*/gm],
  // Exports of chats: a time and a name, or a name and a time on a line of its own.
  [
    'quote',
    /^\[?(?:\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4},?[T ] ?)?\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?(?:\]| -)? (?!(?:Me|I|You):)[A-Z][^\n:]{0,40}: [^\n]*/gm,
  ],
  [
    'quote',
    /^(?!(?:Me|I|You)\b)[A-Z][^\n:,—]{0,40}(?:  | — |, \[)[^\n:]{0,20}\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?\]?(?:\n[^\n]+)+/gm,
  ],
  // Logs, and messages in JSON.
  ['code', /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\n ]* \[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b[^\n]*/gm],
  ['code', /"(?:role|author|sender|user|name|content|text|message|body)"[ \t]*:[ \t]*"(?:[^"\\\n]|\\[^\n])*"/g],
  [
    'code',
    /^[ \t]*(?:- )?(?:role|author|sender|from|name|user): [^\n]*\n[ \t]*(?:content|text|message|body): [^\n]*(?:\n[ \t]{2,}[^\n]+)*/gm,
  ],
];
/** A line with a speaker. A name or role that speaks twice, once in several words, and another one make a transcript. */
export const speaker = /^([A-Z][\w.'-]{0,20}(?: [A-Z0-9][\w.'-]{0,20})?):[ \t]+\S/;
/** A labeled line of at least four words. The labels of a diary ("Mood: awful") have fewer. */
export const spokenLine = /^[^\n:]*:[ \t]+\S+(?:[ \t]+\S+){3}/;
export const ownSpeakers = new Set(['Me', 'I', 'Myself']);
/** A header, a speaker or an attribution in quoted lines. */
export const quotedOthers = /^[ \t]*>[ \t]*(?:>|[A-Z][\w .'-]{0,40}:|On [^\n]* wrote:)/m;
/** Punctuation and digits alone, e.g. the brackets of removed JSON. */
export const noWords = /^[\x00-@[-`{-~]*$/;
/** Ends of lines of other systems. */
export const lineEnd = /\r\n?|[\u2028\u2029]/g;
export const plainFence = /^[ \t]*(?:`{3,}|~{3,})[ \t]*$/gm;

export const quoteMark = /^[ \t]*>[ \t]?/gm;
export const namedFence = /^[ \t]*(?:`{3,}|~{3,})[ \t]*[^`~\s]/m;

export interface OwnWords {
  /** '' if the message has no own words. */
  readonly own: string;
  /** What was removed, without duplicates. */
  readonly removed: readonly RemovedKind[];
}

/**
 * Returns the person's own words of a message, '' if there are none. Text after a tag or a fence that nothing closes stays,
 * so that it hides nothing. Linear in the length. Never throws.
 */
export function keepOwnWords(text: string): string {
  return splitOwnWords(text).own;
}

/** Returns the person's own words of a message, and the kinds of what is not theirs. */
export function splitOwnWords(message: string): OwnWords {
  const text = message.replace(lineEnd, '\n');
  if (!mayHaveOthers.test(text)) return { own: message, removed: [] };
  const removed: RemovedKind[] = [];
  const step = (kind: RemovedKind, before: string, after: string): string => {
    if (after !== before && !removed.includes(kind)) removed.push(kind);
    return after;
  };
  const asked = step('prompt', text, withoutPrompt(text));
  const unblocked = withoutBlocks(asked);
  step(new RegExp(resultHeader.source, 'm').test(asked) ? 'tool_result' : 'context', asked, unblocked);
  const uncoded = step('code', unblocked, withoutFences(unblocked));
  const unquoted = step('quote', uncoded, withoutQuotedLines(uncoded));
  if (unquoted.trim() === '' && isPlainQuote(asked, unblocked)) {
    const own = unblocked
      .replace(plainFence, '')
      .replace(/^[ \t]*>[ \t]?/gm, '')
      .trim();
    return { own, removed: own === '' ? removed : removed.filter((kind) => kind !== 'quote' && kind !== 'code') };
  }
  let words = unquoted;
  for (const [kind, form] of forms) words = step(kind, words, words.replace(form, ' '));
  words = step('quote', words, withoutTranscript(words));
  return { own: words === text ? message : noWords.test(words) ? '' : words.trim(), removed };
}

/** Returns true if nothing says that the quoted lines and the fences without a language are those of somebody else. */
function isPlainQuote(asked: string, unblocked: string): boolean {
  return asked.search(leadIn) < 0 && !quotedOthers.test(unblocked) && !namedFence.test(unblocked);
}

/** Removes the lines of speakers if there are two of them, and one speaks twice, once in several words. */
function withoutTranscript(text: string): string {
  const counts = new Map<string, number>();
  const lines = text.split('\n');
  const names = lines.map((line) => speaker.exec(line)?.[1]);
  for (const name of names) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isSpoken = lines.some((line, at) => (counts.get(names[at] ?? '') ?? 0) > 1 && spokenLine.test(line));
  if (counts.size < 2 || !isSpoken) return text;
  return lines.filter((_, at) => names[at] === undefined || ownSpeakers.has(names[at] ?? '')).join('\n');
}

/** Returns true for a request of a front end, e.g. for a title, which contains no words of the person of its own. */
export function isTask(text: string): boolean {
  return prompts.some(({ begin }) => begin.test(text)) && keepOwnWords(text) === '';
}

function withoutPrompt(text: string): string {
  const prompt = prompts.find(({ begin }) => begin.test(text));
  if (prompt && !prompt.until) return '';
  const last = prompt?.until && [...text.matchAll(prompt.until)].at(-1);
  if (!prompt || !last) return text;
  const rest = text.slice(last.index + last[0].length);
  return prompt.end ? (rest.split(prompt.end, 1)[0] ?? rest) : rest;
}

type Range = readonly [from: number, to: number];

/** Removes context blocks, their lead-in, the results of tools up to the next tag of Cline, and these tags. */
function withoutBlocks(text: string): string {
  const opened = new Map<string, number[]>();
  const blocks: Range[] = [];
  const borders: number[] = [];
  for (const match of text.matchAll(anyTag)) {
    const name = (match[2] ?? '').toLowerCase();
    if (ownTags.has(name) || (tags.has(name) && match[1] === '')) borders.push(match.index);
    if (ownTags.has(name)) blocks.push([match.index, match.index + match[0].length]);
    if (!tags.has(name)) continue;
    const starts = opened.get(name) ?? [];
    opened.set(name, starts);
    if (match[1] === '') starts.push(match.index);
    else {
      const from = starts.pop();
      if (from !== undefined) blocks.push([from, match.index + match[0].length]);
    }
  }
  const leadIns = [...text.matchAll(leadIn)].map(({ index, 0: line }): Range => [index, index + line.length]);
  return removeRanges(text, [...blocks, ...leadIns, ...listResults(text, borders)]);
}

function listResults(text: string, borders: readonly number[]): Range[] {
  let next = 0;
  return [...text.matchAll(resultHeader)].flatMap(({ index }): Range[] => {
    while ((borders[next] ?? Infinity) < index) next++;
    const to = borders[next];
    return to === undefined ? [] : [[index, to]];
  });
}

function removeRanges(text: string, ranges: readonly Range[]): string {
  let [kept, at] = ['', 0];
  for (const [from, to] of [...ranges].sort(([a], [b]) => a - b)) {
    if (from > at) kept += `${text.slice(at, from)} `;
    at = Math.max(at, to);
  }
  return kept + text.slice(at);
}

function withoutFences(text: string): string {
  const kept: string[] = [];
  // The lines since the opening fence, which stay if nothing closes it.
  let pending: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    const [, marks = '', rest = ''] = fence.exec(line) ?? [];
    if (open === '' && marks !== '' && !rest.includes('`')) [open, pending] = [marks, [line]];
    else if (open === '') kept.push(line.replace(/```[^`]*```/g, ' '));
    else if (marks.startsWith(open) && rest.trim() === '') [open, pending] = ['', []];
    else pending.push(line);
  }
  return [...kept, ...(open === '' ? [] : pending)].join('\n');
}

function withoutQuotedLines(text: string): string {
  return text
    .split('\n')
    .filter((line) => !/^\s*>/.test(line))
    .join('\n');
}
