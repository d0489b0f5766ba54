/**
 * The weights file: what training writes and the service loads. Hashed features and quantised numbers only.
 *
 * Little-endian: magic, lexicon fingerprint (u32 each), class count, family count (u8 each); biases (f32 a class);
 * per family: bucket bits (u8), rarity step (f32), weight steps (f32 a class), rarities (u8 a bucket, 0 = unused),
 * weights (i8, a row of classes for each used bucket, in order of buckets).
 */

/** One family of hashed features. */
export interface FamilyWeights {
  /** Buckets are 2^bits. */
  readonly bits: number;
  /** The used buckets, ascending. */
  readonly buckets: Uint32Array;
  /** How telling each used bucket is by its rarity (inverse document frequency), above 0. */
  readonly rarities: Float32Array;
  /** A row of one weight a class for each used bucket. */
  readonly weights: Float32Array;
}

export interface TopicWeights {
  /** Of the lexicon that the weights were trained with; they mean nothing with another. */
  readonly fingerprint: number;
  /** One a class: the eight areas in the vocabulary's order, then "none". */
  readonly biases: Float32Array;
  readonly families: readonly FamilyWeights[];
}

const MAGIC = 0x31435054;
const HEAD_BYTES = 10;
const BYTE_MAX = 255;
const STEPS_MAX = 127;

/** Writes weights in the file's form; quantises to 8 bits. */
export function encodeWeights({ fingerprint, biases, families }: TopicWeights): Uint8Array {
  const parts: Uint8Array[] = [new Uint8Array(HEAD_BYTES), bytesOf(biases)];
  const head = new DataView((parts[0] as Uint8Array).buffer);
  head.setUint32(0, MAGIC, true);
  head.setUint32(4, fingerprint, true);
  head.setUint8(8, biases.length);
  head.setUint8(9, families.length);
  for (const family of families) parts.push(...encodeFamily(family, biases.length));
  return concat(parts);
}

function encodeFamily({ bits, buckets, rarities, weights }: FamilyWeights, classes: number): Uint8Array[] {
  const rarityStep = maxOf(rarities, 0, 1) / BYTE_MAX || 1;
  const steps = Float32Array.from({ length: classes }, (_, k) => maxOf(weights, k, classes) / STEPS_MAX || 1);
  const coarse = new Uint8Array(2 ** bits);
  // At least 1: a used bucket must not round to an unused one.
  buckets.forEach((bucket, i) => (coarse[bucket] = Math.max(1, Math.round((rarities[i] ?? 0) / rarityStep))));
  const rows = Int8Array.from(weights, (weight, i) => Math.round(weight / (steps[i % classes] ?? 1)));
  return [
    Uint8Array.of(bits),
    bytesOf(Float32Array.of(rarityStep)),
    bytesOf(steps),
    coarse,
    new Uint8Array(rows.buffer),
  ];
}

/** Reads the file's form. Throws on anything but a whole weights file. */
export function decodeWeights(bytes: Uint8Array): TopicWeights {
  // A copy: a Buffer's slice would share its memory and its offset.
  const reader = new Reader(new Uint8Array(bytes));
  if (reader.u32() !== MAGIC) throw new Error('not a topic weights file');
  const fingerprint = reader.u32();
  const [classes, familyCount] = [reader.u8(), reader.u8()];
  const biases = reader.f32s(classes);
  const families = Array.from({ length: familyCount }, () => decodeFamily(reader, classes));
  if (!reader.isAtEnd()) throw new Error('topic weights file is too long');
  return { fingerprint, biases, families };
}

function decodeFamily(reader: Reader, classes: number): FamilyWeights {
  const bits = reader.u8();
  const rarityStep = reader.f32();
  const steps = reader.f32s(classes);
  const coarse = reader.bytes(2 ** bits);
  const buckets = usedBuckets(coarse);
  const rarities = new Float32Array(buckets.length);
  for (let i = 0; i < buckets.length; i++) rarities[i] = (coarse[buckets[i] as number] as number) * rarityStep;
  const rows = new Int8Array(reader.bytes(buckets.length * classes).buffer);
  const weights = new Float32Array(rows.length);
  for (let i = 0; i < rows.length; i++) weights[i] = (rows[i] as number) * (steps[i % classes] as number);
  return { bits, buckets, rarities, weights };
}

function usedBuckets(coarse: Uint8Array): Uint32Array {
  const buckets = new Uint32Array(coarse.length);
  let count = 0;
  for (let bucket = 0; bucket < coarse.length; bucket++) if (coarse[bucket] !== 0) buckets[count++] = bucket;
  return buckets.slice(0, count);
}

/** Reads on from where it stands; a read past the end throws a RangeError. */
class Reader {
  private at = 0;
  private readonly view: DataView;
  constructor(private readonly source: Uint8Array) {
    this.view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  }
  u8 = (): number => this.view.getUint8(this.step(1));
  u32 = (): number => this.view.getUint32(this.step(4), true);
  f32 = (): number => this.view.getFloat32(this.step(4), true);
  f32s = (count: number): Float32Array => Float32Array.from({ length: count }, () => this.f32());
  isAtEnd = (): boolean => this.at === this.source.length;
  bytes(count: number): Uint8Array {
    const start = this.step(count);
    if (this.at > this.source.length) throw new RangeError('topic weights file is cut short');
    return this.source.slice(start, this.at);
  }
  private step(count: number): number {
    this.at += count;
    return this.at - count;
  }
}

function maxOf(values: Float32Array, start: number, stride: number): number {
  let max = 0;
  for (let i = start; i < values.length; i += stride) max = Math.max(max, Math.abs(values[i] ?? 0));
  return max;
}

const bytesOf = (values: Float32Array): Uint8Array => {
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
