/**
 * The URL that the text is; undefined where it is none. Not by `URL.canParse`, which Node 20 and 22 answer wrongly once
 * it is compiled: after some thousand calls no URL with `ü` in it is one any more.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
