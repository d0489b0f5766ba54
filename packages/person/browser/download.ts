/** The data of the person as one table for spreadsheets. */
import { signals } from '../../../generated/spec.js';
import type { ExportedReading, Fact, Feedback, TriggerProfile } from '../../client/src/index.js';
import { type Cell, toCell } from '../../recordings/csv-cell.js';
import { say } from '../../sentence/messages.js';
import { h } from '../../ui/dom.js';
import { signalName } from '../../ui/format.js';
import { ifUnknown, type Page } from './link.js';
import { language, t } from './texts.js';
import { nameTopic } from './topic-names.js';

type Signal = keyof typeof signals;
const signalNames = Object.keys(signals) as Signal[];
const first = ['kind', 'time', 'until', 'state', 'stress_score', 'scored_before', 'confidence'] as const;
const others = ['reported_stress', 'note', 'topics', 'status', 'event'] as const;
const last = ['reason', 'session', 'source'] as const;
const columns = [...first, ...others, ...signalNames, ...last];
type Column = (typeof columns)[number];
type Row = Readonly<Partial<Record<Column, Cell>>>;

const germanColumns: Readonly<Record<Column, string>> = {
  ...{ kind: 'Art', time: 'Zeit', until: 'Bis', state: 'Zustand', stress_score: 'Stress, berechnet (0–100)' },
  ...{ scored_before: 'Stress vor der Korrektur', confidence: 'Sicherheit (0–1)', note: 'Anmerkung' },
  ...{ reported_stress: 'Stress, angegeben (0–10)', topics: 'Themen', status: 'Status', event: 'Ereignis' },
  ...{ reason: 'Grund (englisch)', session: 'Sitzung', source: 'Gerät oder Quelle', heart_rate: 'Puls' },
  ...{ sdnn: 'SDNN', rmssd: 'RMSSD', rr_intervals_ms: 'Abstände der Herzschläge', tone: 'Stimme' },
  ...{ expression: 'Gesichtsausdruck', sentiment: 'Stimmung der Worte (−1 bis 1)', urgency: 'Dringlichkeit' },
  ...{
    activity_level: 'Bewegung',
    steps_last_minute: 'Schritte in der Minute',
    respiratory_rate: 'Atemzüge pro Minute',
  },
  ...{ skin_temperature: 'Hauttemperatur', eda: 'Hautleitwert', spo2: 'Sauerstoffsättigung', pnn50: 'pNN50' },
  ...{ mean_ibi: 'Mittlerer Abstand der Herzschläge', ibi_count: 'Anzahl der Abstände', gaze: 'Blick' },
  ...{ speech_rate: 'Wörter pro Minute', pitch_variability: 'Schwankung der Tonhöhe', posture: 'Haltung' },
  ...{ engagement: 'Beteiligung', glucose_mg_dl: 'Glukose', glucose_mmol_l: 'Glukose', sleep_stage: 'Schlafphase' },
  ...{ glucose_trend: 'Trend der Glukose', eeg_alpha_power: 'EEG Alpha', eeg_beta_power: 'EEG Beta' },
  ...{ eeg_theta_power: 'EEG Theta', cognitive_load: 'Kognitive Belastung' },
};
/** Kinds of rows and of facts, and codes of reports. */
const germanValues: Readonly<Record<string, string>> = {
  ...{ reading: 'Messung', report: 'Angabe', topic: 'Thema', fact: 'Ereignis', exercise: 'Bewegung', rest: 'Ruhe' },
  ...{ sleep: 'Schlaf', not_worn: 'nicht getragen', other_person: 'jemand anderes', invalid: 'ungültig' },
  ...{ time_pressure: 'Zeitdruck', workload: 'Arbeitsmenge', conflict: 'Streit', worry: 'Sorge', pain: 'Schmerzen' },
  ...{ illness: 'Krankheit', poor_sleep: 'schlechter Schlaf', physical_activity: 'Bewegung', caffeine: 'Koffein' },
  ...{ excitement: 'Aufregung', device_problem: 'Problem des Geräts', other: 'anderes' },
};
const nameValue = (code: string) => (language === 'de' && germanValues[code]) || signalName(code);

/** Saves the readings, reports, topics and facts of the person as one file. Resolves with a sentence about it. */
export async function downloadTable(page: Page): Promise<string> {
  const rows: Row[] = [Object.fromEntries(columns.map((it) => [it, nameColumn(it)]))];
  const filled = new Set<string>();
  for await (const row of listRows(page)) {
    rows.push(row);
    for (const [column, value] of Object.entries(row)) if (value !== undefined && value !== '') filled.add(column);
  }
  const shown = columns.filter((it) => filled.has(it));
  // Without the mark at the start, Excel reads umlauts as other letters.
  const parts = ['\ufeff', ...rows.map((row) => toLine(row, shown))];
  const href = URL.createObjectURL(new Blob(parts, { type: 'text/csv' }));
  h('a', { href, download: 'my-data.csv' }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
  return t('downloaded', { count: rows.length - 1 });
}

function nameColumn(column: Column): string {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (column === 'time') return `${language === 'de' ? germanColumns.time : 'Time'} (${zone})`;
  const { unit = '' }: { readonly use?: string; readonly unit?: string } =
    column in signals ? signals[column as Signal] : {};
  if (language === 'de') return germanColumns[column] + (/^(?!steps)\S{1,6}$/.test(unit) ? ` (${unit})` : '');
  return signalName(column.replace(/_(ms|mg_dl|mmol_l)$/, '')) + (unit === '' ? '' : ` (${unit})`);
}

/** Spreadsheets in German split cells at semicolons, and write numbers with a comma. */
function toLine(row: Row, shown: readonly Column[]): string {
  const write = (value: Cell) =>
    typeof value === 'number' && language === 'de' ? String(value).replace('.', ',') : toCell(value);
  return `${shown.map((it) => write(row[it])).join(language === 'de' ? ';' : ',')}\r\n`;
}

async function* listRows({ client, me, signal }: Page): AsyncGenerator<Row> {
  try {
    for await (const it of client.exportReadings({ subjectId: me }, { signal })) yield ofReading(it);
  } catch (error) {
    ifUnknown(error);
  }
  for await (const it of client.feedback({ subject_id: me }, { signal })) yield ofReport(it);
  const profile = await client.triggers(me, { signal }).catch(ifUnknown);
  for (const [topic, it] of Object.entries(profile?.triggers ?? {})) yield ofTopic(topic, it);
  for await (const it of client.facts(me, {}, { signal })) yield ofFact(it);
}

/** Returns the local time in the form that every spreadsheet reads, e.g. `2026-11-21 10:30:00`. */
const toTime = (instant: string | number) => new Date(instant).toLocaleString('sv');

function ofReading({ reading, computed }: ExportedReading): Row {
  const { state, stress_score, confidence, scored_before } = computed;
  const derived: Partial<Record<Signal, Cell>> = computed;
  return {
    ...Object.fromEntries(signalNames.map((it) => [it, reading[it] ?? derived[it]])),
    ...{ kind: nameValue('reading'), time: toTime(reading.timestamp), confidence, scored_before },
    ...(confidence > 0 && { state: say(language, state), stress_score }),
    ...{ topics: computed.topics_detected.map(nameTopic).join(', '), reason: computed.action_reason },
    ...{ session: reading.session_id, source: reading.source_device },
  };
}

function ofReport({ timestamp, duration_seconds: seconds, stress, note_code, published, session_id }: Feedback): Row {
  const fromMs = Date.parse(timestamp) - (seconds ?? 0) * 1_000;
  return {
    ...{ kind: nameValue('report'), time: toTime(fromMs), until: seconds && toTime(timestamp), session: session_id },
    ...{ reported_stress: stress, note: note_code && nameValue(note_code) },
    ...(published && { state: say(language, published.state), stress_score: published.stress_score }),
  };
}

function ofTopic(topic: string, { status, avg_stress, last_seen }: TriggerProfile['triggers'][string]): Row {
  const found = { topics: nameTopic(topic), status: t(status), stress_score: avg_stress };
  return { kind: nameValue('topic'), time: toTime(last_seen), ...found };
}

function ofFact({ kind, level, start, end, source }: Fact): Row {
  const times = { time: toTime(start), until: end && toTime(end) };
  return { kind: nameValue('fact'), ...times, event: nameValue(kind), activity_level: level, source };
}
