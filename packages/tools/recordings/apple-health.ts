import { mappingsOf } from './field-map.js';
import { type Item, readTime, type RecordingFile } from './measurement.js';
import { readXml } from './xml.js';

const format = {
  root: 'HealthData',
  expected: 'export.xml of Apple Health',
  remedy: 'export the data again and extract export.xml',
};

/** Reads `export.xml` of Apple Health as a stream. */
export function readAppleHealth({ path, utcOffsetMs }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const mappings = mappingsOf('apple-health');
  return readXml(path, format, {
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
