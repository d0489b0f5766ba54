import { createReadStream } from 'node:fs';
import sax from 'sax';
import { mappingsOf } from './field-map.js';
import { type Item, readTime, type RecordingFile } from './measurement.js';

/** Elements of an export are nested three deep. Bounds the memory for open elements of a hostile file. */
const depthMax = 32;
/** An element of an export has at most 10 attributes. */
const attributesMax = 100;

/**
 * Reads `export.xml` of Apple Health as a stream. The parser bounds each attribute and the document type to 64 KB, and
 * ignores its declarations, so that no entity of the file is expanded. It does not bound the number of attributes.
 */
export async function* readAppleHealth({ path, utcOffsetMs }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const mappings = mappingsOf('apple-health');
  const parser = sax.parser(true);
  let items: Item[] = [];
  let depth = 0;
  let failure: string | undefined;
  const fail = (problem: string) => (failure ??= `line ${parser.line + 1}: ${problem}`);
  parser.onerror = (error) => {
    fail(`not valid XML (${error.message.split('\n')[0]}): export the data again and extract export.xml`);
    // Without this call, the parser throws on the next write.
    parser.resume();
  };
  let attributeCount = 0;
  parser.onopentagstart = () => (attributeCount = 0);
  parser.onattribute = () => {
    attributeCount += 1;
    if (attributeCount > attributesMax)
      fail(`more than ${attributesMax} attributes in one element: pass export.xml of Apple Health`);
  };
  parser.onopentag = ({ name, attributes }) => {
    depth += 1;
    if (depth === 1 && name !== 'HealthData')
      fail(`the root element is ${name.slice(0, 64)}, not HealthData: pass export.xml of Apple Health`);
    if (depth > depthMax) fail(`more than ${depthMax} nested elements: pass export.xml of Apple Health`);
    const mapping = name === 'Record' ? mappings.get(String(attributes['type'])) : undefined;
    if (!mapping || failure !== undefined) return;
    const { unit, value, startDate, endDate, sourceName } = attributes as Record<string, string | undefined>;
    if (unit !== mapping.unit) {
      items.push({ skipped: `${mapping.field} in a unit other than ${mapping.unit}` });
      return;
    }
    const number = value === undefined || value.trim() === '' ? Number.NaN : Number(value);
    const isCounted = mapping.field === 'steps_last_minute';
    items.push({
      field: mapping.field,
      atMs: readTime(startDate ?? '', utcOffsetMs),
      ...(isCounted ? { untilMs: readTime(endDate ?? '', utcOffsetMs), source: sourceName ?? '' } : {}),
      value: number * mapping.factor,
    });
  };
  parser.onclosetag = () => (depth -= 1);
  for await (const chunk of createReadStream(path, 'utf8')) {
    parser.write(chunk as string);
    if (failure !== undefined) throw new Error(failure);
    yield items;
    items = [];
  }
  parser.close();
  if (failure !== undefined) throw new Error(failure);
}
