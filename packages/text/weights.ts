/**
 * Reads and writes the weights file, which training writes and the service loads. It contains hashed features,
 * quantized numbers and a list of common words.
 *
 * Little-endian: magic, lexicon fingerprint (u32 each), then four linear models: the areas, the concern gate, severity and
 * safety. The vocabulary follows, up to the end of the file: ASCII, words separated by a line break, absent without words. A
 * model: class count, family count (u8 each), biases (f32 per class), then the families. A family: bucket bits (u8),
 * rarity step (f32), weight steps (f32 per class), rarities (u8 per bucket, 0 = unused), weights (i8, one row of
 * classes per used bucket, ordered by bucket).
 */

/** One family of hashed features. */
export interface FamilyWeights {
  /** The family has 2^bits buckets. */
  readonly bits: number;
  /** The used buckets, in ascending order. */
  readonly buckets: Uint32Array;
  /** Inverse document frequency of each used bucket, above 0. */
  readonly rarities: Float32Array;
  /** One row per used bucket, with one weight per class. */
  readonly weights: Float32Array;
}

/** Log odds of classes, linear in the features. */
export interface LinearWeights {
  /** One bias per class. */
  readonly biases: Float32Array;
  readonly families: readonly FamilyWeights[];
}

export interface TextWeights {
  /** Hash of the lexicon of the training. The weights are invalid with any other lexicon. */
  readonly fingerprint: number;
  /** Words of several training texts, most frequent first. Misspelled words are corrected to them. */
  readonly vocabulary: readonly string[];
  /** The classes are the eight areas in the vocabulary's order, then "none". */
  readonly areas: LinearWeights;
  /** The only class: the speaker describes a concern of their own. */
  readonly concern: LinearWeights;
  /** The only class: severe distress. */
  readonly severity: LinearWeights;
  /** A class per danger, against none. */
  readonly safety: LinearWeights;
}

/** The models in the order of the file. */
const modelNames = ['areas', 'concern', 'severity', 'safety'] as const;
const MAGIC = 0x32545854;
const HEAD_BYTES = 8;
const BYTE_MAX = 255;
const STEPS_MAX = 127;

/** Encodes weights in the file format, quantized to 8 bits. */
export function encodeWeights({ fingerprint, vocabulary, ...models }: TextWeights): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  const view = new DataView(head.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, fingerprint, true);
  const words = Buffer.from(vocabulary.map((word) => `${word}\n`).join(''), 'ascii');
  return concat([head, ...modelNames.flatMap((name) => encodeModel(models[name])), words]);
}

function encodeModel({ biases, families }: LinearWeights): Uint8Array[] {
  const head = Uint8Array.of(biases.length, families.length);
  return [head, toBytes(biases), ...families.flatMap((family) => encodeFamily(family, biases.length))];
}

function encodeFamily({ bits, buckets, rarities, weights }: FamilyWeights, classes: number): Uint8Array[] {
  const rarityStep = findMax(rarities, 0, 1) / BYTE_MAX || 1;
  const steps = Float32Array.from({ length: classes }, (_, k) => findMax(weights, k, classes) / STEPS_MAX || 1);
  const coarse = new Uint8Array(2 ** bits);
  // At least 1, because 0 marks an unused bucket.
  buckets.forEach((bucket, i) => (coarse[bucket] = Math.max(1, Math.round((rarities[i] ?? 0) / rarityStep))));
  const rows = Int8Array.from(weights, (weight, i) => Math.round(weight / (steps[i % classes] ?? 1)));
  return [
    Uint8Array.of(bits),
    toBytes(Float32Array.of(rarityStep)),
    toBytes(steps),
    coarse,
    new Uint8Array(rows.buffer),
  ];
}

/** Returns the lexicon's fingerprint from the head of a weights file. Throws if it is not a weights file. */
export function computeFingerprint(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.byteLength < HEAD_BYTES || view.getUint32(0, true) !== MAGIC) throw new Error('not a weights file');
  return view.getUint32(4, true);
}

/** Decodes a weights file. Throws if the file is incomplete or not a weights file. */
export function decodeWeights(bytes: Uint8Array): TextWeights {
  // Copies the bytes, because a slice of a Buffer would share its memory and offset.
  const reader = new ByteReader(new Uint8Array(bytes));
  const fingerprint = computeFingerprint(bytes);
  reader.bytes(HEAD_BYTES);
  const decode = () => decodeModel(reader);
  const [areas, concern, severity, safety] = [decode(), decode(), decode(), decode()];
  const vocabulary = reader.rest().toString('ascii');
  if (!/^([a-z]+\n)*$/.test(vocabulary)) throw new Error('weights file is damaged or too long');
  return { fingerprint, vocabulary: vocabulary.split('\n').slice(0, -1), areas, concern, severity, safety };
}

function decodeModel(reader: ByteReader): LinearWeights {
  const [classes, familyCount] = [reader.u8(), reader.u8()];
  const biases = reader.f32s(classes);
  return { biases, families: Array.from({ length: familyCount }, () => decodeFamily(reader, classes)) };
}

function decodeFamily(reader: ByteReader, classes: number): FamilyWeights {
  const bits = reader.u8();
  const rarityStep = reader.f32();
  const steps = reader.f32s(classes);
  const coarse = reader.bytes(2 ** bits);
  const buckets = usedBuckets(coarse);
  const rarities = new Float32Array(buckets.length);
  for (let i = 0; i < buckets.length; i++) rarities[i] = (coarse[buckets[i] ?? 0] ?? 0) * rarityStep;
  const rows = new Int8Array(reader.bytes(buckets.length * classes).buffer);
  const weights = new Float32Array(rows.length);
  for (let i = 0; i < rows.length; i++) weights[i] = (rows[i] ?? 0) * (steps[i % classes] ?? 0);
  return { bits, buckets, rarities, weights };
}

/** Returns the buckets with a rarity other than 0. */
function usedBuckets(coarse: Uint8Array): Uint32Array {
  const buckets = new Uint32Array(coarse.length);
  let count = 0;
  for (let bucket = 0; bucket < coarse.length; bucket++) if (coarse[bucket] !== 0) buckets[count++] = bucket;
  return buckets.slice(0, count);
}

/** Reads values in sequence. A read beyond the end throws a RangeError. */
class ByteReader {
  private at = 0;
  private readonly view: DataView;
  constructor(private readonly source: Uint8Array) {
    this.view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  }
  u8 = (): number => this.view.getUint8(this.step(1));
  u32 = (): number => this.view.getUint32(this.step(4), true);
  f32 = (): number => this.view.getFloat32(this.step(4), true);
  f32s = (count: number): Float32Array => Float32Array.from({ length: count }, () => this.f32());
  rest = (): Buffer => Buffer.from(this.source.subarray(this.at));
  bytes(count: number): Uint8Array {
    const start = this.step(count);
    if (this.at > this.source.length) throw new RangeError('weights file is incomplete');
    return this.source.slice(start, this.at);
  }
  private step(count: number): number {
    this.at += count;
    return this.at - count;
  }
}

function findMax(values: Float32Array, start: number, stride: number): number {
  let max = 0;
  for (let i = start; i < values.length; i += stride) max = Math.max(max, Math.abs(values[i] ?? 0));
  return max;
}

const toBytes = (values: Float32Array): Uint8Array => {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  values.forEach((value, i) => view.setFloat32(i * 4, value, true));
  return bytes;
};

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
