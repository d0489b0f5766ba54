/** Reads a packed text. Rows from before there were any are JSON objects, and need no unpacking. */
export function parsePacked<Packed extends readonly unknown[], Content>(
  text: string,
  unpack: (packed: Packed) => Content,
): Content {
  const packed = JSON.parse(text) as Packed | Content;
  return Array.isArray(packed) ? unpack(packed as unknown as Packed) : (packed as Content);
}
