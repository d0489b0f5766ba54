import {
  FitMessageReaderError,
  type FitRawField,
  type FitRawMessage,
  fitTimestampToUnixMilliseconds,
  readFitMessages,
} from 'fit-file-parser/raw';
import { mappingsOf } from './field-map.js';
import { type Item, readWholeFile, type RecordingFile, wholeFileMaxBytes } from './measurement.js';

/** Numbers of messages and fields, from the profile of the FIT SDK (Profile.xlsx). */
const messages = { record: 20, monitoring: 55, hrv: 78 };
const timestamp16 = 26;
const fields = [
  { name: 'record.heart_rate', message: messages.record, field: 3 },
  { name: 'monitoring.heart_rate', message: messages.monitoring, field: 27 },
  { name: 'hrv.time', message: messages.hrv, field: 0 },
  { name: 'record.enhanced_respiration_rate', message: messages.record, field: 108 },
  { name: 'record.respiration_rate', message: messages.record, field: 99 },
];

const remedies: Record<FitMessageReaderError['code'], string> = {
  invalid_input: 'the file is not a FIT file',
  input_limit: `the file has more than ${wholeFileMaxBytes} bytes: pass one activity per file`,
  invalid_header: 'the FIT header is invalid or the file is cut off: copy the file from the device again',
  invalid_crc: 'the checksum is wrong, so the file is damaged: copy the file from the device again',
  invalid_structure: 'a FIT message is cut off or has no definition: copy the file from the device again',
};

/** Reads a FIT file: an activity, or a monitoring file of a day. Beats of `hrv` follow the record before them. */
export async function* readFit({ path }: RecordingFile): AsyncGenerator<readonly Item[]> {
  const mappings = mappingsOf('fit');
  let newest: number | undefined;
  for (const message of messagesOf(await readWholeFile(path))) {
    newest = timeOf(message, newest);
    const atMs = newest === undefined ? Number.NaN : fitTimestampToUnixMilliseconds(newest);
    const items: Item[] = [];
    for (const { name, field } of fields.filter((it) => it.message === message.globalMessageNumber)) {
      const mapping = mappings.get(name);
      const raw = message.fields.find(({ fieldNumber }) => fieldNumber === field);
      if (!mapping || !raw) continue;
      for (const value of numbersOf(raw, message.littleEndian))
        items.push({ field: mapping.field, atMs, value: value * mapping.factor });
    }
    yield items;
  }
}

function messagesOf(bytes: Uint8Array): readonly FitRawMessage[] {
  try {
    const messageNumbers = Object.values(messages);
    return readFitMessages(bytes, { messageNumbers, maxInputBytes: wholeFileMaxBytes }).messages;
  } catch (error) {
    if (error instanceof FitMessageReaderError) throw new Error(remedies[error.code]);
    throw error;
  }
}

/** Returns the time of a message, s since the FIT epoch. `timestamp_16` holds the lower 16 bits of a later time. */
function timeOf(message: FitRawMessage, newest: number | undefined): number | undefined {
  const full = message.timestamp ?? message.compressedTimestamp;
  if (full !== undefined) return full;
  const short = message.fields.find(({ fieldNumber }) => fieldNumber === timestamp16);
  if (message.globalMessageNumber !== messages.monitoring || !short || newest === undefined) return newest;
  const [low] = numbersOf(short, message.littleEndian);
  return low === undefined ? newest : newest + ((low - (newest & 0xffff)) & 0xffff);
}

/** Returns the unsigned numbers of a field of one or two bytes. The highest value means that there is no value. */
function numbersOf({ bytes, baseType }: FitRawField, littleEndian: boolean): number[] {
  const uint8 = 0x02;
  const uint16 = 0x84;
  if (baseType === uint8) return [...bytes].filter((value) => value !== 0xff);
  if (baseType !== uint16) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.floor(bytes.byteLength / 2);
  const all = Array.from({ length: count }, (_, index) => view.getUint16(index * 2, littleEndian));
  return all.filter((value) => value !== 0xffff);
}
