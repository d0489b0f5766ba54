import { describeAccount } from '../../../recordings/account.js';
import { inferences } from '../../../recordings/measurement.js';
import { dateOrders } from '../../../recordings/times.js';
import type { FileOptions } from '../../../recordings/open-file.js';
import { type ImportPlan, omitTooOld, planImport, TooOldError } from '../../../tools/import-history.js';
import { h, show } from '../../../ui/dom.js';
import { count } from '../../../ui/format.js';
import { button, card, createField, createSelect, createStatus, type Field } from '../../../ui/parts.js';
import { instants, timeZone } from '../../../sentence/calendar.js';
import { nowMs, reasonOf, type Service } from '../service.js';
import type { ReadFiles } from '../../../ui/import/import-worker.js';
import { createFileInput } from '../../../ui/import/file-input.js';
import { readFiles } from '../../../ui/import/read-files.js';
import { createSent, sendPlan, type Sent } from '../../../tools/send-plan.js';

const formats = 'FIT, TCX, GPX, CSV, JSON, the XML of Apple Health, or a ZIP with such files';
const orders: Readonly<Record<string, string>> = {
  dmy: 'day, month, year',
  mdy: 'month, day, year',
  ymd: 'year, month, day',
  ydm: 'year, day, month',
};
const hours = [
  [24, 'Newest day'],
  [168, 'Newest 7 days'],
  [720, 'Newest 30 days'],
  [2_160, 'Newest 90 days'],
] as const;
/** Options of the command, as errors name them, by the name of their field. */
const fieldNames = {
  '--person': 'Person in the file',
  '--time-zone': 'Time zone of the file',
  '--date-order': 'Order of dates',
  '--start': 'Start of the recording',
  '--hours': 'Time to import',
  '--time-column': 'Column of times',
  '--keep': 'Values to keep',
} as const;
type Option = keyof typeof fieldNames;

/** Returns the card that imports files of the person. `onStored` runs after readings were stored. */
export function createImportCard(service: Service, subjectId: string, signal: AbortSignal, onStored: () => void) {
  const [outcome, lists] = [createStatus(), h('ul.hint')];
  const options = createOptions();

  /** Shows what would be stored. Rejects if the reader does not want to store it. */
  const confirm = (text: string, notes: readonly string[], label: string) =>
    new Promise<void>((resolve, reject) => {
      outcome.say(text);
      const end = (act: () => void) => () => (show(lists), act());
      show(
        lists,
        ...notes.map((note) => h('li', note)),
        h(
          'li.line',
          button(label, end(resolve)),
          button(
            'Cancel',
            end(() => reject(new Error('cancelled: nothing was sent'))),
          ),
        ),
      );
    });

  const importFiles = async (files: readonly File[], onProgress: (share: number) => void, sent: Sent) => {
    const request = { files, options: options.read(), hours: options.hours(), nowMs: nowMs(), marksFacts: false };
    const read = await readFiles(request, onProgress, signal);
    if (read.inferred.length > 0) {
      const from = read.readings[0] ? `, from ${instants.format(read.readings[0].atMs)}` : '';
      const text = `Read ${count(read.readings.length, 'minute')}${from}. The values show:`;
      await confirm(text, [...read.notes, `Values: ${describeAccount(read.account)}.`], 'Import');
    }
    const plan = await planImport(read.readings, read.facts, subjectId, service);
    const onWait = (seconds: number, reason: string) => outcome.say(`${reason}. Continues in ${seconds} s.`);
    const explain = (error: unknown) => new Error(reasonOf(error));
    const send = (part: typeof plan) => {
      onProgress(0);
      outcome.say(`Sending ${count(part.lines.length, 'reading')} …`);
      return sendPlan(part, sent, onProgress, { client: service, explain, signal, onWait });
    };
    await send(plan).catch(async (error: unknown) => {
      if (!(error instanceof TooOldError)) throw error;
      const part = omitTooOld(plan, error.keptMs, nowMs());
      const older = plan.lines.length - part.lines.length;
      await confirm(...describeTooOld(part, older, error));
      await send(part);
      sent.rejected.set('older than the service keeps', older);
    });
    outcome.say(describeRead(read, sent));
    show(lists, ...listSkipped(read, sent));
  };
  const { input, bar, run } = createFileInput('Progress', (files, onProgress) => {
    progress.hidden = false;
    show(lists);
    options.clear();
    outcome.say(`Reading ${files.map(({ name }) => name).join(', ')} …`);
    const sent = createSent();
    const stored = () => sent.samples.stored + sent.samples.replaced;
    return importFiles(files, onProgress, sent)
      .catch((error: Error) => {
        const done = stored() > 0 ? `Stopped, ${count(stored(), 'reading')} stored.` : 'Not imported.';
        if (!signal.aborted) outcome.say(`${done} ${options.explain(error.message)}.`, true);
      })
      .then(() => (stored() + sent.facts > 0 ? onStored() : undefined));
  });
  const progress = h('div.line', { hidden: true }, bar, outcome.element);
  const field = createField('Files of one person', input, `Choose or drop ${formats}. They are read in this browser.`);
  const element = card('Import a file', field.element, options.element, progress, lists);
  element.addEventListener('dragover', (event) => event.preventDefault());
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    run([...(event.dataTransfer?.files ?? [])]);
  });
  return element;
}

/** Returns the fields of what a file does not state. */
function createOptions() {
  const plain = { type: 'text', autocomplete: 'off' };
  const [person, start] = [h('input', plain), h('input', { type: 'datetime-local', step: 1 })];
  const zone = h('input', { ...plain, value: timeZone() });
  const order = createSelect([
    ['', 'As the file shows it'],
    ...dateOrders.map((it) => [it, orders[it] ?? it] as const),
  ]);
  const column = h('input', plain);
  const keep = createSelect([['', 'None'], ...inferences.map((it) => [it, it.replace('-', ' ')] as const)]);
  const span = createSelect(hours);
  const controls = {
    '--hours': span,
    '--time-zone': zone,
    '--date-order': order,
    '--person': person,
    '--start': start,
    '--time-column': column,
    '--keep': keep,
  };
  const hints: Partial<Record<Option, string>> = {
    '--time-zone': 'Of times that state none.',
    '--person': 'If a CSV has several people.',
    '--time-column': 'If several columns of a CSV may be the time.',
    '--keep': 'Although they look like values of a day, or stand for none.',
    '--start': 'If times count from the start, or of a list of beats. In your time zone.',
  };
  const names = Object.keys(controls) as Option[];
  const fields = Object.fromEntries(
    names.map((name) => [name, createField(fieldNames[name], controls[name], hints[name])]),
  ) as Record<Option, Field>;
  const element = h(
    'details.field',
    h('summary', 'Options'),
    h('div.fields', ...names.map((name) => fields[name].element)),
  );
  return {
    element,
    hours: () => Number(span.value),
    read: (): FileOptions => ({
      zone: zone.value.trim() || timeZone(),
      ...(person.value.trim() && { person: person.value.trim() }),
      dateOrder: dateOrders.find((it) => it === order.value),
      ...(column.value.trim() && { timeColumn: column.value.trim() }),
      keep: inferences.filter((it) => it === keep.value),
      ...(start.value && { startMs: new Date(start.value).getTime() }),
    }),
    clear: () => names.forEach((name) => fields[name].showFault('')),
    /** Returns an error with the names of fields, and marks the field that it names. */
    explain(error: string): string {
      const named = names.filter((name) => error.includes(name));
      for (const name of named) {
        const act = controls[name].value ? 'Change' : 'Fill in';
        fields[name].showFault(`${act} this field, and choose the file again.`);
      }
      if (named[0]) element.open = true;
      return named.reduce((text, name) => text.replaceAll(name, `“${fieldNames[name]}”`), error);
    },
  };
}

/** Returns the question whether to store a part of a file, of which `older` readings are too old. Throws if nothing is left. */
function describeTooOld({ lines, facts }: ImportPlan, older: number, { keptMs, neededHours }: TooOldError) {
  const [hours, first, last] = [Math.floor(keptMs / 3_600_000), lines[0], lines.at(-1)];
  const kept = `The service keeps ${hours < 48 ? count(hours, 'hour') : count(Math.floor(hours / 24), 'day')}`;
  const left = `${count(older, 'reading')} older than that`;
  if (lines.length + facts.length === 0) throw new Error(`${kept}, and the file has only ${left}`);
  const span = first && last ? `, ${instants.format(first.of.atMs)} to ${instants.format(last.of.atMs)}` : '';
  const stored = [count(lines.length, 'reading'), ...(facts.length > 0 ? [count(facts.length, 'fact')] : [])].join(
    ', ',
  );
  const notes = [
    `To be stored: ${stored}${span}.`,
    `Left out: ${left}. Your operator can keep them: state-service accounts set ACCOUNT keep-readings ${neededHours}`,
  ];
  return [`${kept}:`, notes, `Store ${stored}`] as const;
}

function describeRead({ formats: read, readings }: ReadFiles, { samples, facts, rejected }: Sent): string {
  const [first, last] = [readings[0], readings.at(-1)];
  const span = first && last ? `, ${instants.format(first.atMs)} to ${instants.format(last.atMs)}` : '';
  const parts = Object.entries(samples).map(([name, number]) => `${number.toLocaleString('en')} ${name}`);
  const failed = [...rejected.values()].reduce((sum, it) => sum + it, 0);
  const minutes = `${read.join(', ')}: ${count(readings.length, 'minute')}${span}`;
  const stated = facts > 0 ? ` ${count(facts, 'fact')} stored.` : '';
  return `Read ${minutes}. Readings: ${[...parts, ...(failed > 0 ? [`${failed} rejected`] : [])].join(', ')}.${stated}`;
}

function listSkipped({ skipped, account, notes }: ReadFiles, { rejected }: Sent) {
  const rename = (reason: string) => reason.replace('see --hours', `see “${fieldNames['--hours']}”`);
  return [
    ...skipped.map(([reason, number]) => h('li', `Skipped ${count(number, 'value')}: ${rename(reason)}`)),
    h('li', `Values: ${describeAccount(account)}.`),
    ...notes.map((note) => h('li', note)),
    ...[...rejected].map(([reason, number]) => h('li', `Rejected ${count(number, 'reading')}: ${reason}`)),
  ];
}
