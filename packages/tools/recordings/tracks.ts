import { mappingsOf } from './field-map.js';
import { type Measurement, readTime, type Reader } from './measurement.js';
import { readXml } from './xml.js';

const remedy = 'export the activity again';
const formats = {
  tcx: { root: 'TrainingCenterDatabase', expected: 'a TCX file', remedy, point: 'Trackpoint', time: 'Time' },
  gpx: { root: 'gpx', expected: 'a GPX file', remedy, point: 'trkpt', time: 'time' },
};

/**
 * Returns the reader of a TCX or GPX file. Each point of a track has a time, and its heart rate in an element that the
 * field map names. In GPX, this is an element of any extension.
 */
export function readTracks(name: keyof typeof formats): Reader {
  const format = formats[name];
  const mappings = [...mappingsOf(name).values()];
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
