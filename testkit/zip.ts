import { crc32, deflateRawSync } from 'node:zlib';

/** A file in a ZIP. */
export interface Entry {
  readonly name: string;
  readonly content: string | Uint8Array;
  readonly isStored?: boolean;
  /** Changes of the fields that the list of the ZIP states. */
  readonly stated?: {
    readonly bytes?: number;
    readonly checksum?: number;
    readonly flags?: number;
    readonly method?: number;
  };
  readonly is64?: boolean;
}

/** Returns a ZIP, also one that is damaged. */
export function zip(entries: readonly Entry[], comment = ''): Buffer {
  const files: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, content, isStored = false, stated = {}, is64 = false } of entries) {
    const bytes = Buffer.from(content);
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const { checksum = crc32(bytes), flags = 0, method = isStored ? 0 : 8 } = stated;
    const size = stated.bytes ?? bytes.length;
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    files.push(header, Buffer.from(name), packed);
    const extra = Buffer.alloc(is64 ? 28 : 0);
    if (is64) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(24, 2);
      [size, packed.length, at].forEach((value, index) => extra.writeBigUInt64LE(BigInt(value), 4 + 8 * index));
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(checksum, 16);
    for (const [offset, value] of [
      [20, packed.length],
      [24, size],
      [42, at],
    ] as const)
      entry.writeUInt32LE(is64 ? 0xffffffff : value, offset);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt16LE(extra.length, 30);
    list.push(entry, Buffer.from(name), extra);
    at += 30 + name.length + packed.length;
  }
  const listed = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...files, listed, end, Buffer.from(comment)]);
}
