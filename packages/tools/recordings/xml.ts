import { createReadStream } from 'node:fs';
import sax from 'sax';
import { formatsRead, listMappings } from './field-map.js';
import { type Item, type Measurement, type Reader, readTime, type RecordingFile } from './measurement.js';

/** Elements of the formats are nested up to nine deep. Bounds the memory for open elements of a hostile file. */
const depthMax = 32;
/** An element of the formats has at most 10 attributes. */
const attributesMax = 100;
/** Texts that are read are times and numbers. A longer text is cut. */
const textMaxCharacters = 64;

export interface XmlFormat {
  /** Name of the root element, without a prefix. */
  readonly root: string;
  /** The file to pass instead, e.g. `export.xml of Apple Health`. */
  readonly expected: string;
  /** What to do with a damaged file. */
  readonly remedy: string;
}

export interface XmlHandlers {
  /** Called at the start of an element. `add` keeps an item. */
  onOpen?(name: string, attributes: Readonly<Record<string, string | undefined>>, add: (item: Item) => void): void;
  /** Called at the end of an element. `path` has the names of all open elements, and of this one last. */
  onClose?(path: readonly string[], text: string, add: (item: Item) => void): void;
}

/**
 * Reads an XML file as a stream. Names have no prefix. The parser bounds each attribute and the document type to 64 KB,
 * and ignores its declarations, so that no entity of the file is expanded. It does not bound the number of attributes.
 */
export async function* readXml(
  path: string,
  { root, expected, remedy }: XmlFormat,
  { onOpen, onClose }: XmlHandlers,
): AsyncGenerator<readonly Item[]> {
  const parser = sax.parser(true);
  let items: Item[] = [];
  const open: string[] = [];
  let text = '';
  let failure: string | undefined;
  const add = (item: Item) => void items.push(item);
  const fail = (problem: string) => (failure ??= `line ${parser.line + 1}: ${problem}`);
  parser.onerror = (error) => {
    fail(`not valid XML (${error.message.split('\n')[0]}): ${remedy}`);
    // Without this call, the parser throws on the next write.
    parser.resume();
  };
  let attributeCount = 0;
  parser.onopentagstart = () => (attributeCount = 0);
  parser.onattribute = () => {
    attributeCount += 1;
    if (attributeCount > attributesMax) fail(`more than ${attributesMax} attributes in one element: pass ${expected}`);
  };
  parser.onopentag = ({ name, attributes }) => {
    const local = dropPrefix(name);
    if (open.length === 0 && local !== root)
      fail(`the root element is ${name.slice(0, 64)}, not ${root}. ${formatsRead}`);
    open.push(local);
    text = '';
    if (open.length > depthMax) fail(`more than ${depthMax} nested elements: pass ${expected}`);
    if (failure === undefined) onOpen?.(local, attributes as Record<string, string | undefined>, add);
  };
  if (onClose)
    parser.ontext = (part) => {
      if (text.length < textMaxCharacters) text += part.slice(0, textMaxCharacters);
    };
  parser.onclosetag = () => {
    if (failure === undefined) onClose?.(open, text.trim(), add);
    open.pop();
    text = '';
  };
  let isStart = true;
  for await (const chunk of createReadStream(path, 'utf8')) {
    // Some apps write spaces before the XML declaration, which XML forbids.
    parser.write(isStart ? (chunk as string).trimStart() : (chunk as string));
    isStart = false;
    if (failure !== undefined) throw new Error(failure);
    yield items;
    items = [];
  }
  parser.close();
  if (failure !== undefined) throw new Error(failure);
}

function dropPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

const healthFormat = {
  root: 'HealthData',
  expected: 'export.xml of Apple Health',
  remedy: 'export the data again and extract export.xml',
};

/** Reads `export.xml` of Apple Health as a stream. */
export function readAppleHealth({ path, utcOffsetMs }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const mappings = listMappings('apple-health');
  return readXml(path, healthFormat, {
    onOpen(name, attributes, add) {
      const mapping = name === 'Record' ? mappings.get(attributes['type'] ?? '') : undefined;
      if (!mapping) return;
      const { unit, value, startDate, endDate, sourceName } = attributes;
      if (unit !== mapping.unit) return add({ skipped: `${mapping.field} in a unit other than ${mapping.unit}` });
      const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
      const isCounted = mapping.field === 'steps_last_minute';
      add({
        field: mapping.field,
        atMs: readTime(startDate ?? '', utcOffsetMs),
        ...(isCounted ? { untilMs: readTime(endDate ?? '', utcOffsetMs), source: sourceName ?? '' } : {}),
        value: number * mapping.factor,
      });
    },
  });
}

const trackRemedy = 'export the activity again';
const trackFormats = {
  tcx: {
    root: 'TrainingCenterDatabase',
    expected: 'a TCX file',
    remedy: trackRemedy,
    point: 'Trackpoint',
    time: 'Time',
  },
  gpx: { root: 'gpx', expected: 'a GPX file', remedy: trackRemedy, point: 'trkpt', time: 'time' },
};

/**
 * Returns the reader of a TCX or GPX file. Each point of a track has a time, and its heart rate in an element that the
 * field map names. In GPX, this is an element of any extension.
 */
export function readTracks(name: keyof typeof trackFormats): Reader {
  const format = trackFormats[name];
  const mappings = [...listMappings(name).values()];
  return ({ path, utcOffsetMs }) => {
    let time = '';
    const values = new Map<string, Pick<Measurement, 'field' | 'value'>>();
    return readXml(path, format, {
      onClose(open, text, add) {
        const point = open.indexOf(format.point);
        if (point < 0) return;
        if (open.length === point + 2 && open.at(-1) === format.time) time = text;
        const ending = `.${open.slice(point + 1).join('.')}`;
        for (const { name: element, field, factor } of mappings)
          if (text !== '' && ending.endsWith(`.${element}`))
            values.set(element, { field, value: Number(text) * factor });
        if (open.length > point + 1) return;
        for (const value of values.values()) add({ ...value, atMs: readTime(time, utcOffsetMs) });
        time = '';
        values.clear();
      },
    });
  };
}
