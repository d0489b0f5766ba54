import { listMappings, type Mapping } from './field-map.js';

/** A title of a column: its name in lower case with underscores, and the unit in brackets, e.g. `HR [bpm]`. */
export interface Title {
  readonly name: string;
  readonly unit: string;
}

export interface Column {
  readonly index: number;
  readonly title: string;
  readonly mapping: Mapping;
  /** Unit that the title states. Empty if it states none. */
  readonly unit: string;
}

/** Columns with a time, the likeliest first. `time` and `date` may also be the two parts of one. */
export const timeColumns = (
  'timestamp datetime date_time time_stamp timestamp_measurement phone_timestamp phone_data_rx_timestamp start_date ' +
  'startdate start_time starttime start recorded_at measured_at timestamp_ms unix_time unix_timestamp epoch epoch_ms ' +
  'epoch_s utc ts timestamp_iso timestamp_unix last_changed last_updated local_time elapsed elapsed_time seconds time date'
).split(' ');
const deviceColumns = ['source_device', 'device', 'source', 'data_source', 'source_name', 'sourcename', 'deviceuuid'];
const zoneColumns = ['time_offset', 'time_zone', 'timezone', 'tz', 'utc_offset', 'zone_offset', 'zone'];
const typeColumns = ['type', 'record_type', 'metric', 'measurement', 'signal', 'variable'];
const person =
  /^(person|subject|user|participant|patient|client|member|athlete|wearer|employee|respondent|volunteer|student|proband|teilnehmer)(_?(full_)?(id|no|nr|num|number|name|key|code|uid|uuid|hash))?$/;
/** Names that may also number the rows. */
const idColumns = ['id', 'pid', 'uid', 'sid', 'name'];

/** Indexes of columns by their meaning. -1 for a column that the file does not have. */
export interface Roles {
  readonly values: readonly Column[];
  /** Index of the column `value`, whose meaning another column or the name of the file states. */
  readonly value: number;
  readonly device: number;
  readonly zone: number;
  readonly type: number;
  readonly unit: number;
  readonly activity: number;
  readonly person: number;
  /** 0 in this column means that the device did not trust its value. */
  readonly confidence: number;
  /** True if the person column may number the rows: then it counts only if its values repeat. */
  readonly isPersonUnclear: boolean;
  /** True for the columns of an export of Apple Health. */
  readonly isApple: boolean;
}

/** Returns a title without brackets. `[Avg]` is a part of the name. */
export function readTitle(title: string): Title {
  const unit = [...title.matchAll(/[([]([^()[\]]*)[)\]]/g)]
    .map(([, text = '']) => text.toLowerCase().trim())
    .filter((text) => !['min', 'max', 'avg'].includes(text))
    .at(-1);
  const plain = title.replace(/[([](?!(?:min|max|avg)[)\]])[^()[\]]*[)\]]/gi, ' ');
  return { name: normalize(plain), unit: unit ?? '' };
}

/** Returns a title in lower case with underscores, e.g. `hr_bpm` for `HR (bpm)`. */
export function normalize(title: string): string {
  return title
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

/** Returns the known columns. Two columns of one field, e.g. `hr` and `bpm`, count once: the first one. */
export function findColumns(titles: readonly Title[], format: 'csv' | 'polar-csv'): Column[] {
  const mappings = listMappings(format);
  // Health Auto Export has means per minute, and its variability is SDNN. Elsewhere, it may be SDNN or RMSSD.
  const isAutoExport = titles.some(({ name }) => name === 'heart_rate_avg');
  const columns = titles.flatMap(({ name: title, unit }, index) => {
    const name = isAutoExport && title === 'heart_rate_variability' ? 'sdnn' : title;
    const mapping = mappings.get(name) ?? mappings.get(name.replace(/_(ms|s|sec|seconds)$/, ''));
    const [, ending = ''] = /_(ms|s|sec|seconds)$/.exec(name) ?? [];
    return mapping ? [{ index, title: name, mapping, unit: unit || ending }] : [];
  });
  return columns.filter(({ mapping }, at) => columns.findIndex((it) => it.mapping.field === mapping.field) === at);
}

/** Returns what the columns of a CSV mean. */
export function findRoles(titles: readonly Title[]): Roles {
  const names = titles.map(({ name }) => name);
  const find = (known: readonly string[]) => names.findIndex((it) => known.includes(it));
  const people = names.findIndex((it) => person.test(it));
  return {
    values: findColumns(titles, 'csv'),
    value: find(['value']),
    ...{ device: find(deviceColumns), zone: find(zoneColumns), type: find(typeColumns), unit: find(['unit', 'units']) },
    activity: find(['activity_level']),
    confidence: names.findIndex((it) => /(^|_)(confidence|konfidenz|confiance|confianza)(_|$)/.test(it)),
    person: people < 0 ? find(idColumns) : people,
    isPersonUnclear: people < 0,
    isApple: names.includes('startdate') && names.includes('enddate'),
  };
}
