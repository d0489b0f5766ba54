import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Encodings of the compressed copies, preferred ones first, with the file extension of each. */
export const endings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof endings;

/** A file in memory. A stream from disk would stay open when a client disconnects before the end of the response. */
export interface PublicFile {
  readonly extension: string;
  readonly plain: Variant;
  /** Compressed copies, made at build time. Absent when they are no smaller than the file. */
  readonly encoded: Readonly<Partial<Record<Encoding, Variant>>>;
}

export interface Variant {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Reads the documentation (`/docs/…`) and the contract (`/openapi.…`). The keys are URL paths. */
export async function readPublicFiles(root: URL): Promise<ReadonlyMap<string, PublicFile>> {
  const files = await readSite(fileURLToPath(new URL('dist/docs/', root)));
  for (const [name, source] of [
    ['openapi.json', 'generated/openapi.json'],
    ['openapi.yaml', 'openapi.yaml'],
  ] as const) {
    const plain = variantOf(await readFile(new URL(source, root)).catch(() => Buffer.alloc(0)));
    const built = files.get(`/docs/${name}`);
    // The site may have been built from another version of the contract.
    files.set(`/${name}`, built?.plain.etag === plain.etag ? built : { extension: extname(name), plain, encoded: {} });
  }
  return files;
}

/** Returns an empty map when the site is not built. */
async function readSite(folder: string): Promise<Map<string, PublicFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((it) => it.isFile()).map((it) => relative(folder, join(it.parentPath, it.name)));
  const contents = new Map(
    await Promise.all(paths.map(async (path) => [path, variantOf(await readFile(join(folder, path)))] as const)),
  );
  const isCopy = (path: string) => Object.values(endings).some((ending) => path.endsWith(ending));
  return new Map(
    [...contents]
      .filter(([path]) => !isCopy(path))
      .map(([path, plain]) => [
        urlPathOf(path),
        { extension: extname(path), plain, encoded: copiesOf(path, contents) },
      ]),
  );
}

function copiesOf(path: string, contents: ReadonlyMap<string, Variant>): PublicFile['encoded'] {
  const found = Object.entries(endings).map(([encoding, ending]) => [encoding, contents.get(path + ending)] as const);
  return Object.fromEntries(found.filter(([, variant]) => variant !== undefined));
}

/** Returns the URL path of a file, e.g. `/docs/reference/` for `reference/index.html`. */
function urlPathOf(path: string): string {
  return `/docs/${path.replaceAll('\\', '/').replace(/(^|\/)index\.html$/, '$1')}`;
}

function variantOf(bytes: Buffer): Variant {
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
}
