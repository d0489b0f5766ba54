import { curl, ndjson } from '../samples.js';
import { all, element, one, readKey, serverUrl, writeKey } from './page.js';

const timeoutMs = 20_000;
/** Response headers that the console shows. */
const shownHeaders = ['content-type', 'x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy', 'allow'];

interface ConsoleRequest {
  readonly method: string;
  readonly url: string;
  readonly key: string | undefined;
  readonly body: string | undefined;
  readonly mediaType: string | undefined;
}

/** Starts the consoles of the reference. A console sends real requests of one operation and shows the response. */
export function startConsoles(): void {
  for (const button of all('[data-try]')) {
    const dialog = one<HTMLDialogElement>(`#try-${button.dataset['try']}`);
    prepare(dialog);
    button.addEventListener('click', () => open(dialog));
  }
}

/**
 * Ends the ids of sessions and people in the forms of this page. A session or a person of an earlier visit has readings that
 * affect the score, so the response would differ from the documented one.
 */
const visit = Math.random().toString(36).slice(2, 8).padEnd(6, '0');

function prepare(dialog: HTMLDialogElement): void {
  const form = one<HTMLFormElement>('form', dialog);
  one('[data-close]', dialog).addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (event) => {
    // Closes the dialog after a click on the backdrop.
    if (event.target === dialog) dialog.close();
  });
  for (const field of all<HTMLTextAreaElement | HTMLOptionElement>('[data-body], [data-example] option', dialog))
    field.value = field.value.replace(/("(?:session|subject)_id": ?"[^"]+)"/g, `$1-${visit}"`);
  for (const input of all<HTMLInputElement>('[data-parameter=session_id], [data-parameter=subject_id]', dialog))
    if (input.value !== '') input.value += `-${visit}`;
  form.addEventListener('input', () => update(dialog));
  for (const select of all<HTMLSelectElement>('[data-example]', dialog))
    select.addEventListener('change', () => setBody(dialog, select.value));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(dialog);
  });
}

function open(dialog: HTMLDialogElement): void {
  for (const input of all<HTMLInputElement>('[data-key]', dialog)) input.value = readKey();
  for (const input of all<HTMLTextAreaElement>('[data-body]', dialog)) setBody(dialog, input.value);
  update(dialog);
  dialog.showModal();
}

/**
 * Fills the body of the form. Replaces the timestamp of an example with the current time, because the service rejects
 * old readings.
 */
function setBody(dialog: HTMLDialogElement, text: string): void {
  const present = text.replace(/("timestamp": ?)"[^"]*"/g, `$1"${new Date().toISOString()}"`);
  one<HTMLTextAreaElement>('[data-body]', dialog).value = present;
  one('[data-body-hint]', dialog).hidden = present === text;
  update(dialog);
}

function update(dialog: HTMLDialogElement): void {
  const { key, ...request } = readRequest(dialog);
  one('[data-curl]', dialog).textContent = curl({ ...request, needsKey: key !== undefined, hasAnswer: true });
  if (key !== undefined) writeKey(key);
}

/** Returns the request of the form. The key is not part of the request, so that no sample shows it. */
function readRequest(dialog: HTMLDialogElement): ConsoleRequest {
  const { method = 'GET', path = '' } = dialog.dataset;
  const [body] = all<HTMLTextAreaElement>('[data-body]', dialog);
  const inputs = all<HTMLInputElement>('[data-parameter]', dialog);
  const readValue = (name: string) => inputs.find((it) => it.dataset['parameter'] === name)?.value ?? '';
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(readValue(name)));
  const query = inputs
    .filter(({ dataset, value }) => dataset['in'] === 'query' && value !== '')
    .map(({ dataset, value }) => `${dataset['parameter']}=${encodeURIComponent(value)}`);
  return {
    method,
    url: serverUrl + filled + (query.length > 0 ? `?${query.join('&')}` : ''),
    key: all<HTMLInputElement>('[data-key]', dialog)[0]?.value.trim(),
    body: body?.value,
    mediaType: body?.dataset['mediaType'],
  };
}

/** Focuses the first input with an invalid value and shows the reason. Returns true if all inputs are valid. */
function checkInputs(dialog: HTMLDialogElement): boolean {
  const inputs = all<HTMLInputElement | HTMLTextAreaElement>('[data-key], [data-body]', dialog);
  const checked = inputs.map((input) => ({ input, reason: reasonNotToSend(input) }));
  for (const { input, reason } of checked) {
    input.ariaInvalid = reason === '' ? null : 'true';
    const message = one('[data-invalid]', input.parentElement ?? dialog);
    message.textContent = reason;
    message.hidden = reason === '';
  }
  const first = checked.find(({ reason }) => reason !== '');
  first?.input.focus();
  return first === undefined;
}

function reasonNotToSend({ dataset, value }: HTMLInputElement | HTMLTextAreaElement): string {
  if ('key' in dataset) return value.trim() === '' ? 'Enter a key. The first start of the service prints one.' : '';
  try {
    const texts = dataset['mediaType'] === ndjson ? value.split('\n').filter((line) => line.trim() !== '') : [value];
    for (const text of texts) JSON.parse(text);
    return '';
  } catch (error) {
    return `The body is not valid JSON: ${(error as Error).message}`;
  }
}

async function send(dialog: HTMLDialogElement): Promise<void> {
  if (!checkInputs(dialog)) return;
  const { method, url, key, body, mediaType } = readRequest(dialog);
  const button = one<HTMLButtonElement>('[type=submit]', dialog);
  const headers = {
    ...(key && { 'X-Service-Key': key }),
    ...(body !== undefined && { 'Content-Type': mediaType ?? 'application/json' }),
  };
  button.disabled = true;
  const startedAtMs = performance.now();
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const answer = await fetch(url, { method, headers, body: body ?? null, signal, credentials: 'omit' });
    const text = await readText(answer);
    showAnswer(dialog, answer, text, Math.round(performance.now() - startedAtMs));
  } catch (error) {
    one('[data-outcome]', dialog).replaceChildren(
      element(
        'p',
        'fault',
        `No response: ${(error as Error).message}. Check that the service is running at ${serverUrl}.`,
      ),
    );
    one('[data-answer]', dialog).hidden = true;
  } finally {
    button.disabled = false;
  }
}

function showAnswer(
  dialog: HTMLDialogElement,
  { status, statusText, ok, headers }: Response,
  text: string,
  ms: number,
): void {
  const outcome = one('[data-outcome]', dialog);
  const line = element(
    'p',
    'hint',
    element('span', `status ${ok ? '' : 'fault'}`, `${status} ${statusText}`.trim()),
    ` ${ms} ms`,
  );
  const list = element('dl', 'headers hint');
  for (const name of shownHeaders) {
    const value = headers.get(name);
    if (value !== null) list.append(element('dt', '', name), element('dd', '', value));
  }
  outcome.replaceChildren(line, list);
  const figure = one('[data-answer]', dialog);
  figure.hidden = text === '';
  one('code', figure).replaceChildren(...colouredJson(pretty(text)));
  if (dialog.clientWidth < 800) outcome.scrollIntoView({ block: 'start' });
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Media types of bodies that may be long or never end. */
const streamed = ['text/event-stream', 'application/x-ndjson', 'text/csv'];

/** Returns the body. Of a stream or export, returns the first part and closes it. */
async function readText(answer: Response): Promise<string> {
  const [mediaType = ''] = answer.headers.get('content-type')?.split(';') ?? [];
  if (!streamed.includes(mediaType) || !answer.body) return answer.text();
  const reader = answer.body.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** Returns JSON as elements, with the colors of the samples. */
function colouredJson(text: string): (string | Node)[] {
  const parts: (string | Node)[] = [];
  let end = 0;
  for (const { 0: token, 1: string, 2: colon = '', index } of text.matchAll(tokens)) {
    const kind = string === undefined ? 'number' : colon ? 'attr' : 'string';
    parts.push(text.slice(end, index), element('span', `hljs-${kind}`, string ?? token), colon);
    end = index + token.length;
  }
  return [...parts, text.slice(end)];
}
