import sax from 'sax';
import { isContextName } from './account.js';
import { readText } from './chunks.js';
import { listMappings } from './field-map.js';
import { type Item, type Measurement, NotReadError, type Reader, type Recording } from './measurement.js';
import { shown, textMaxCharacters as namesMaxCharacters } from './names.js';
import { classifySport, isOnFoot, toExercise } from './sports.js';
import { createClock, createTimeReader } from './times.js';
import { createCommentFilter } from './xml-comments.js';

/** Elements of the formats are nested up to nine deep. Bounds the memory for open elements of a hostile file. */
const depthMax = 32;
/** An element of the formats has at most 10 attributes. */
const attributesMax = 100;
/** Texts that are read are times, numbers and names. A longer text is cut, also in attributes and names of elements. */
const textMaxCharacters = 64;

export interface XmlFormat {
  /** Name of the root element, without a prefix. */
  readonly root: string;
  /** Names of the elements with measurements. A mistake in one of them, or in an element inside, skips this one only. */
  readonly records: readonly string[];
  /** The file to pass instead, e.g. `export.xml of Apple Health`. */
  readonly expected: string;
  /** What to do with a damaged file. */
  readonly remedy: string;
  /** Names of elements that are read, in lower case. */
  readonly known?: readonly string[];
}

/** An element that is open. Its name has no prefix. */
export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

/** Called at the end of an element. `open` has all open elements, and this one last. `add` keeps an item. */
export type OnClose = (open: readonly Element[], text: string, add: (item: Item) => void) => void;

/**
 * Reads an XML file as a stream. The parser bounds each attribute and the document type to 64 KB, and ignores its
 * declarations, so that no entity of the file is expanded. It does not bound the number of attributes.
 */
export async function* readXml(
  chunks: Recording['chunks'],
  format: XmlFormat,
  onClose: OnClose,
): AsyncGenerator<readonly Item[]> {
  const { root, records, expected, remedy } = format;
  const parser = sax.parser(true);
  let items: Item[] = [];
  const open: Element[] = [];
  let text = '';
  let attributes: Record<string, string> = {};
  let failure: Error | undefined;
  let [hasRoot, isBroken, attributeCount] = [false, false, 0];
  const add = (item: Item) => void items.push(item);
  const fail = (problem: string) => (failure ??= new Error(`line ${parser.line + 1}: ${problem}`));
  /** Counts a mistake once its record has ended. Returns true for an element with a mistake. */
  const endMistake = (name: string) => {
    if (!isBroken || (!records.includes(name) && open.some((it) => records.includes(it.name)))) return isBroken;
    add({ skipped: 'a damaged record of an XML file', values: 0 });
    isBroken = false;
    return true;
  };
  parser.onerror = ({ message }) => {
    const [problem = ''] = message.split('\n');
    // A file that is cut off ends inside of an element.
    if (hasRoot && !/^(Max buffer|Unclosed root|Unexpected end)/.test(problem)) isBroken = true;
    else fail(`not valid XML (${problem}): ${remedy}`);
    // Without this call, the parser throws on the next write.
    parser.resume();
  };
  parser.onopentagstart = () => {
    attributes = {};
    attributeCount = 0;
  };
  let [seen, context] = [0, 0];
  const unknown = new Set<string>();
  const count = (name: string) => {
    seen += 1;
    if (isContextName(name.slice(name.indexOf(':') + 1))) context += 1;
  };
  parser.onattribute = ({ name, value }) => {
    // Names of schemas are no data.
    if (!/^(xmlns|xsi)(:|$)/.test(name)) count(name);
    attributes[name] = value.slice(0, namesMaxCharacters);
    attributeCount += 1;
    if (attributeCount > attributesMax) fail(`more than ${attributesMax} attributes in one element: pass ${expected}`);
  };
  parser.onopentag = ({ name }) => {
    // The parser continues to the end of the chunk.
    if (failure !== undefined) return;
    const local = name.slice(name.indexOf(':') + 1).slice(0, namesMaxCharacters);
    if (!hasRoot && local !== root)
      failure = new NotReadError(`the root element of the XML is ${shown(name)}, not ${root}`);
    hasRoot = true;
    open.push({ name: local, attributes });
    text = '';
    if (open.length > depthMax) fail(`more than ${depthMax} nested elements: pass ${expected}`);
    if (isBroken && !records.includes(local)) endMistake(local);
  };
  parser.ontext = (part) => {
    if (text.length < textMaxCharacters) text += part.slice(0, textMaxCharacters);
  };
  parser.onclosetag = (name) => {
    const isSkipped = endMistake(open.at(-1)?.name ?? name);
    if (text.trim() !== '') {
      count(open.at(-1)?.name ?? name);
      const isUnknown = isInside(open, records) && !isContextName(name) && unknown.size < 20;
      if (isUnknown) unknown.add(open.at(-1)?.name ?? name);
    }
    if (failure === undefined && !isSkipped) onClose(open, text.trim(), add);
    open.pop();
    text = '';
  };
  const dropComments = createCommentFilter();
  let isStart = true;
  for await (const chunk of readText(chunks)) {
    const piece = dropComments(chunk);
    // Some apps write spaces before the XML declaration, which XML forbids.
    parser.write(isStart ? piece.trimStart() : piece);
    isStart &&= piece.trim() === '';
    if (failure !== undefined) throw failure;
    yield items;
    items = [];
  }
  parser.write(dropComments()).close();
  if (failure !== undefined) throw failure;
  yield [
    ...items,
    { seen, context, unknown: [...unknown].filter((name) => !format.known?.includes(name.toLowerCase())) },
  ];
}

function isInside(open: readonly Element[], records: readonly string[]): boolean {
  return open.some(({ name }) => records.includes(name));
}

const trackRemedy = 'export the activity again';
const trackFormats = {
  tcx: {
    ...{ root: 'TrainingCenterDatabase', records: ['Trackpoint'], expected: 'a TCX file', remedy: trackRemedy },
    time: 'Time',
  },
  gpx: { root: 'gpx', records: ['trkpt'], expected: 'a GPX file', remedy: trackRemedy, time: 'time' },
};

/**
 * Returns the reader of a TCX or GPX file. Each point of a track has a time, and its values in elements that the field map
 * names. In GPX, these are elements of any extension. TCX names the sport in an attribute, GPX in an element of the track.
 */
export function readTracks(format: keyof typeof trackFormats): Reader {
  const { time: timeName, records, ...rest } = trackFormats[format];
  const mappings = [...listMappings(format).values()].map((it) => ({ ...it, element: it.name.toLowerCase() }));
  const known = mappings.map(({ element }) => element.split('.').at(-1) ?? element);
  return ({ chunks, zone }) => {
    const readTime = createTimeReader(createClock(zone));
    let time = '';
    let type: string | undefined;
    let [firstMs, lastMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const values = new Map<string, Pick<Measurement, 'field' | 'value'>>();
    return readXml(chunks, { ...rest, records, known }, (open, text, add) => {
      const [last, parent] = [open.at(-1)?.name, open.at(-2)?.name];
      if (last === 'trk' || last === 'Activity') {
        const named = type ?? (last === 'Activity' ? open.at(-1)?.attributes['Sport'] || 'Other' : undefined);
        // For the heart rates of other recordings. Those of the file state the sport themselves.
        const workout = lastMs > firstMs ? toExercise(named, firstMs, lastMs) : undefined;
        if (workout) add(workout);
        [type, firstMs, lastMs] = [undefined, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      }
      if (last === 'type' && parent === 'trk') type = text;
      const point = open.findIndex(({ name }) => records.includes(name));
      if (point < 0) return;
      if (open.length === point + 2 && last === timeName) time = text;
      const ending = `.${open
        .slice(point + 1)
        .map(({ name }) => name.toLowerCase())
        .join('.')}`;
      for (const { element, field, factor } of mappings)
        if (text !== '' && ending.endsWith(`.${element}`)) values.set(element, { field, value: Number(text) * factor });
      if (open.length > point + 1) return;
      // An activity is an exercise, also without the name of its sport.
      const workout = open.find(({ name }) => name === 'Activity');
      const sport = type ?? (workout && (workout.attributes['Sport'] || 'Other'));
      const shared = { atMs: readTime(time), activity: classifySport(sport) };
      if (shared.atMs < firstMs) firstMs = shared.atMs;
      if (shared.atMs > lastMs) lastMs = shared.atMs;
      for (const value of values.values()) {
        const isRate = value.field === 'steps_last_minute';
        if (!isRate || isOnFoot(sport)) add({ ...shared, ...value, isRate });
        else add({ seen: 0, context: 1 });
      }
      time = '';
      values.clear();
    });
  };
}
