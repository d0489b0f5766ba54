/** The corpus of packages/recordings. Run to write it: `npx tsx testkit/corpus.ts`. All values are invented. */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { CorpusFile } from '../packages/tools/conformance.js';

export const corpusFolder = new URL('../packages/recordings/corpus/', import.meta.url);
const startMs = Date.UTC(2026, 10, 20, 9);
const minuteMs = 60_000;
const five = [0, 1, 2, 3, 4];
const rate = (at: number) => 70 + at;

type File = Omit<CorpusFile, 'zone'> & { readonly content: string; readonly zone?: string };
const files: File[] = [];

/** The right minutes of a file with one heart rate per minute from 9:00Z. */
const minutesOf = (more: object = {}, at = five) =>
  at.map((it) => ({
    time: `${new Date(startMs + it * minuteMs).toISOString().slice(0, 16)}Z`,
    heart_rate: rate(it),
    ...more,
  }));
const add = (vendor: string, file: string, about: string, content: string, rest: Partial<File> = {}) =>
  files.push({ vendor, file: `${vendor}/${file}`, about, content, minutes: minutesOf(), ...rest });
const csv = (header: string, row: (at: number) => string, at = five) => `${[header, ...at.map(row)].join('\n')}\n`;
const iso = (at: number) => new Date(startMs + at * minuteMs).toISOString();
const seconds = (at: number) => startMs / 1000 + at * 60;
const json = (value: unknown) => `${JSON.stringify(value)}\n`;
const berlin = { zone: 'Europe/Berlin' };

/** How phones and apps write 9:00 in a language. */
const phones: readonly (readonly [language: string, about: string, date: (time: string) => string])[] = [
  ['en', 'English, 12 hours', (time) => `Nov 20, 2026 at ${time} AM`],
  ['de', 'German', (time) => `20. Nov. 2026 um ${time.padStart(5, '0')}`],
  ['fr', 'French', (time) => `20 nov. 2026 à ${time.padStart(5, '0')}`],
  ['es', 'Spanish', (time) => `20 de noviembre de 2026 a las ${time}`],
  ['it', 'Italian', (time) => `20 novembre 2026 alle ore ${time.padStart(5, '0')}`],
  ['pt', 'Portuguese', (time) => `20 de nov. de 2026, ${time.padStart(5, '0')}`],
  ['pl', 'Polish', (time) => `20 listopada 2026 o ${time.padStart(5, '0')}`],
  ['ru', 'Russian', (time) => `20 ноября 2026 г. в ${time.padStart(5, '0')}`],
  ['tr', 'Turkish', (time) => `20 Kas 2026 ${time.padStart(5, '0')}`],
  ['ja', 'Japanese, 12 hours', (time) => `2026年11月20日 午前${time}`],
  ['zh', 'Chinese, 12 hours', (time) => `2026年11月20日 上午${time}`],
  ['ko', 'Korean, 12 hours', (time) => `2026. 11. 20. 오전 ${time}`],
  ['ar', 'Arabic digits, 12 hours', (time) => `${toArabic('20')} نوفمبر ${toArabic('2026')} في ${toArabic(time)} ص`],
  ['th', 'Thai calendar', (time) => `20 พ.ย. 2569 ${time.padStart(5, '0')}`],
];
const toArabic = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit)));
for (const [language, about, date] of phones) {
  const dates = five.map((at) => date(`9:0${at}`));
  const body = { type: 'Heart Rate', dates, values: five.map((at) => `${rate(at)} count/min`) };
  add('apple-shortcuts', `${language}.json`, about, json(body));
}

const evening = minutesOf().map((it) => ({ ...it, time: it.time.replace('T09', 'T21') }));
for (const [language, text] of [
  ['en', 'Nov 20, 2026 at 9:0# PM'],
  ['ja', '2026年11月20日 午後9:0#'],
  ['zh', '2026年11月20日 下午9:0#'],
] as const) {
  const dates = five.map((at) => text.replace('#', String(at)));
  const body = { type: 'Heart Rate', dates, values: five.map(rate) };
  add('apple-shortcuts', `${language}-evening.json`, 'an evening, 12 hours', json(body), { minutes: evening });
}

/** Names of an outdoor run. */
const runs = {
  en: 'Outdoor Run',
  de: 'Outdoor-Lauf',
  fr: 'Course à pied',
  es: 'Carrera',
  ja: '屋外ランニング',
  zh: '户外跑步',
  ko: '야외 달리기',
  ru: 'Бег на улице',
  ar: 'الجري',
};
const local = (at: number) => `2026-11-20 10:0${at}:00 +0100`;
for (const [language, name] of Object.entries(runs)) {
  const data = five.map((at) => ({ date: local(at), Min: 60, Avg: rate(at), Max: 90, source: 'Watch' }));
  const workouts = [{ id: language, name, start: local(0), end: local(4) }];
  const body = { data: { metrics: [{ name: 'heart_rate', units: 'count/min', data }], workouts } };
  add('health-auto-export', `run-${language}.json`, `a run, ${language}`, json(body), {
    minutes: minutesOf({ activity_level: 'vigorous' }),
  });
}
const days = five.map((at) => ({ date: `2026-11-2${at} 00:00:00 +0100`, Min: 50, Avg: 60, Max: 90 }));
add(
  'health-auto-export',
  'days.json',
  'sums of days',
  json({ data: { metrics: [{ name: 'heart_rate', units: 'bpm', data: days }] } }),
  { minutes: [] },
);

add(
  'hc-webhook',
  'heart-rate.json',
  'version 1.9',
  json({ timestamp: iso(9), heart_rate: five.map((at) => ({ bpm: rate(at), time: iso(at) })) }),
);
const detailed = {
  hr_samples: five.map((at) => ({ timestamp: `2026-11-20T10:0${at}:00.000000+01:00`, bpm: rate(at) })),
};
const user = { user_id: 'u', provider: 'GARMIN', reference_id: 'PERSON' };
add('terra', 'daily.json', 'daily', json({ type: 'daily', user, data: [{ heart_rate_data: { detailed } }] }));
add(
  'terra',
  'body.json',
  'body',
  json({ type: 'body', user, data: [{ heart_data: { heart_rate_data: { detailed } } }] }),
);
const metadata = { type: 8, name: 'Morning with Rex', start_time: iso(0), end_time: iso(4) };
add(
  'terra',
  'activity.json',
  'a sport by its number',
  json({ type: 'activity', user, data: [{ metadata, heart_rate_data: { detailed } }] }),
  { minutes: minutesOf({ activity_level: 'vigorous' }) },
);
const samples = five.map((at) => ({ timestamp: iso(at), type: 'heart_rate', value: rate(at), unit: 'bpm' }));
add(
  'open-wearables',
  'heart-rate.json',
  'webhook',
  json({ type: 'heart_rate.created', data: { user_id: 'u', provider: 'garmin', series_type: 'heart_rate', samples } }),
);
const values = five.map((at) => ({ timestamp: iso(at), value: rate(at), unit: 'bpm' }));
add(
  'junction',
  'heart-rate.json',
  'webhook',
  json({
    event_type: 'daily.data.heartrate.created',
    client_user_id: 'u',
    data: { source: { slug: 'garmin' }, data: values },
  }),
);
for (const name of ['recorded_at', 'ts', 'measured_at', 'startTime', 'last_changed', 'when'])
  add(
    'other-apps',
    `${name}.json`,
    'a time of another name',
    json(five.map((at) => ({ heart_rate: rate(at), [name]: name === 'ts' ? seconds(at) : iso(at) }))),
  );

add(
  'fitbit',
  'intraday.json',
  'Web API',
  json({
    'activities-heart': [{ dateTime: '2026-11-20', value: { restingHeartRate: 58 } }],
    'activities-heart-intraday': { dataset: five.map((at) => ({ time: `10:0${at}:00`, value: rate(at) })) },
  }),
  berlin,
);
const placeholder = { dateTime: '11/20/26 09:00:30', value: { bpm: 70, confidence: 0 } };
add(
  'fitbit',
  'heart_rate-2026-11-20.json',
  'Takeout of 2024',
  json([
    placeholder,
    ...five.map((at) => ({ dateTime: `11/20/26 09:0${at}:05`, value: { bpm: rate(at), confidence: 2 } })),
  ]),
);
add(
  'google',
  'heart_rate_2026-11-20.csv',
  'Takeout of 2026',
  csv('timestamp,beats per minute,data source', (at) => `${iso(at)},${rate(at)},Pixel Watch 3`),
);
add(
  'google',
  'daily_resting_heart_rate.csv',
  'values of days',
  csv('timestamp,beats per minute,data source', (at) => `2026-11-2${at}T00:00:00,5${at},Pixel Watch 3`),
  { minutes: [] },
);
add(
  'oura',
  'heartrate.csv',
  'contexts',
  csv('timestamp;bpm;source', (at) =>
    ['rest', 'awake', 'workout']
      .map((word, index) => `${iso(at).replace('00.000', `${index}5.000`)};${rate(at) - 10 + 10 * index};${word}`)
      .join('\n'),
  ),
);
add(
  'oura',
  'heartrate.json',
  'API 2',
  json({ data: five.map((at) => ({ timestamp: iso(at), bpm: rate(at), source: 'awake' })), next_token: null }),
);
add('garmin', 'day.json', 'Connect', json({ heartRateValues: five.map((at) => [startMs + at * minuteMs, rate(at)]) }));
add(
  'bangle',
  'recording.csv',
  'confidence',
  csv('Time,Heartrate,Confidence', (at) => `${seconds(at)},${rate(at)},95\n${seconds(at) + 9},180,0`),
);
add(
  'embrace',
  '1-1-P01_2026-11-20_pulse-rate.csv',
  'EmbracePlus',
  csv(
    'timestamp_unix,timestamp_iso,participant_full_id,pulse_rate_bpm,missing_value_reason',
    (at) => `${startMs + at * minuteMs},${iso(at)},1-1-P01,${rate(at)},`,
  ),
);
add(
  'mi-fitness',
  'hlth_center_fitness_data.csv',
  '2026',
  csv(
    'Uid,Sid,Key,Time,Value,UpdateTime',
    (at) => `1,2,heart_rate,${seconds(at)},"{""bpm"":${rate(at)},""time"":${seconds(at)}}",1`,
  ),
);
add(
  'zepp',
  'HEARTRATE.csv',
  'a header with more columns',
  csv('date,lastSyncTime,heartRate,timestamp', (at) => `${seconds(at)},${rate(at)}`),
);
add(
  'home-assistant',
  'history.csv',
  'an entity',
  csv('entity_id,state,last_changed', (at) => `sensor.watch_heart_rate,${rate(at)},${iso(at)}`),
);
add(
  'influxdb',
  'annotated.csv',
  'Flux',
  `#group,false,false,true\n#datatype,string,long,double\n#default,_result,,\n${csv(',result,table,_time,_value,_field,_measurement', (at) => `,,0,${iso(at)},${rate(at)},heart_rate,watch`)}`,
);
add(
  'spreadsheet',
  'de.csv',
  'German, two columns',
  csv('Datum;Uhrzeit;Puls', (at) => `20.11.2026;10:0${at};${rate(at)}`),
  berlin,
);
add(
  'spreadsheet',
  'year-day-month.csv',
  'the day before the month',
  csv('time,hr', (at) => `2026-20-11 09:0${at},${rate(at)}`),
);
const points = (point: (at: number) => string) => five.map(point).join('');
add(
  'holux',
  'ride.gpx',
  'bpm',
  `<gpx><trk><type>running</type><trkseg>${points((at) => `<trkpt lat="1" lon="1"><time>${iso(at)}</time><extensions><bpm>${rate(at)}</bpm></extensions></trkpt>`)}</trkseg></trk></gpx>\n`,
  { minutes: minutesOf({ activity_level: 'vigorous' }) },
);
add(
  'mi-fitness',
  'activity.tcx',
  'an activity without a sport',
  `<TrainingCenterDatabase><Activities><Activity Sport=""><Lap><Track>${points((at) => `<Trackpoint><Time>${iso(at)}</Time><HeartRateBpm><Value>${rate(at)}</Value></HeartRateBpm></Trackpoint>`)}</Track></Lap></Activity></Activities></TrainingCenterDatabase>\n`,
  { minutes: minutesOf({ activity_level: 'moderate' }) },
);
add(
  'apple-health',
  'export.xml',
  'iOS',
  `<HealthData>${points((at) => `<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="${local(at)}" endDate="${local(at)}" value="${rate(at)}"/>`)}</HealthData>\n`,
);

const stages = [
  ['InBed', '2026-11-19 22:00:00', '2026-11-20 07:00:00'],
  ['AsleepCore', '2026-11-19 22:10:00', '2026-11-20 01:00:00'],
  ['Awake', '2026-11-20 01:00:00', '2026-11-20 01:20:00'],
  ['AsleepDeep', '2026-11-20 01:20:00', '2026-11-20 06:00:00'],
  ['AsleepREM', '2026-11-20 06:00:00', '2026-11-20 06:45:00'],
  ['AsleepUnspecified', '2026-11-20 09:58:00', '2026-11-20 10:20:00'],
].map(
  ([stage, from, until]) =>
    `<Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="Watch" startDate="${from} +0100" endDate="${until} +0100" value="HKCategoryValueSleepAnalysis${stage}"/>`,
);
add(
  'apple-health',
  'sleep.xml',
  'the stages of a night, and a nap',
  `<HealthData>${points((at) => `<Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" unit="count/min" startDate="${local(at)}" endDate="${local(at)}" value="${rate(at)}"/>`)}${stages.join('')}</HealthData>\n`,
  {
    minutes: minutesOf({ activity_level: 'resting' }),
    facts: [
      { kind: 'sleep', start: '2026-11-19T21:10Z', end: '2026-11-20T05:45Z' },
      { kind: 'sleep', start: '2026-11-20T08:58Z', end: '2026-11-20T09:20Z' },
    ],
  },
);
const night = { startTime: '2026-11-19T23:10:30.000', endTime: '2026-11-20T06:50:00.000', duration: 27_570_000 };
const level = { dateTime: '2026-11-19T23:10:30.000', level: 'light', seconds: 27_570 };
add(
  'fitbit',
  'sleep-2026-11-20.json',
  'a night of Takeout, local times',
  json([
    { logId: 7, dateOfSleep: '2026-11-20', ...night, minutesAsleep: 430, levels: { data: [level] }, mainSleep: true },
  ]),
  { ...berlin, minutes: [], facts: [{ kind: 'sleep', start: '2026-11-19T22:10Z', end: '2026-11-20T05:50Z' }] },
);

/** Texts of the files by their paths, with the list of their right minutes. */
export const corpus: ReadonlyMap<string, string> = new Map([
  ...files.map(({ file, content }) => [file, content] as const),
  [
    'corpus.json',
    `[\n${files.map(({ content: _, zone = 'UTC', ...rest }) => `  ${JSON.stringify({ ...rest, zone })}`).join(',\n')}\n]\n`,
  ],
]);

if (process.argv[1]?.endsWith('testkit/corpus.ts'))
  for (const [file, content] of corpus) {
    const path = new URL(file, corpusFolder);
    mkdirSync(new URL('./', path), { recursive: true });
    writeFileSync(path, content);
  }
