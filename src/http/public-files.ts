import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Encodings of the compressed copies with their file extensions, preferred encoding first. */
export const endings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof endings;

/** A file in memory. A stream from disk would stay open when a client disconnects before the end of the response. */
export interface PublicFile {
  readonly extension: string;
  readonly plain: Variant;
  /** Compressed copies, made at build time. A copy is absent if it is not smaller than the file. */
  readonly encoded: Readonly<Partial<Record<Encoding, Variant>>>;
}

export interface Variant {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Sites that `npm run docs` builds: folders of dist/ and URL paths. */
const sites = ['docs', 'dashboard', 'person'];

/** `servers` of the contract, as JSON and YAML. */
const serverUrl = /("url": "|^  - url: )\/(?="?$|"?,$)/m;

/**
 * Reads the documentation, the dashboard and the contract. The keys are URL paths, e.g. `/docs/` or `/openapi.json`. `servers`
 * of the contract gets the path of the public URL: a proxy may remove it from requests.
 */
export async function readPublicFiles(root: URL, publicPath = ''): Promise<ReadonlyMap<string, PublicFile>> {
  const read = sites.map((site) => readSite(site, fileURLToPath(new URL(`dist/${site}/`, root))));
  const files = new Map((await Promise.all(read)).flatMap((site) => [...site]));
  for (const [name, source] of [
    ['openapi.json', 'generated/openapi.json'],
    ['openapi.yaml', 'openapi.yaml'],
  ] as const) {
    const bytes = await readFile(new URL(source, root)).catch(() => Buffer.alloc(0));
    const isMoved = publicPath.length > 1;
    const plain = findVariant(isMoved ? Buffer.from(String(bytes).replace(serverUrl, `$1${publicPath}`)) : bytes);
    const built = files.get(`/docs/${name}`);
    // Uses the built files only if they are from this contract. The site may have been built from another version.
    files.set(`/${name}`, built?.plain.etag === plain.etag ? built : { extension: extname(name), plain, encoded: {} });
  }
  return files;
}

/** Reads a built site. Returns an empty map if it is not built. */
async function readSite(site: string, folder: string): Promise<Map<string, PublicFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((it) => it.isFile()).map((it) => relative(folder, join(it.parentPath, it.name)));
  const contents = new Map(
    await Promise.all(paths.map(async (path) => [path, findVariant(await readFile(join(folder, path)))] as const)),
  );
  const isCopy = (path: string) => Object.values(endings).some((ending) => path.endsWith(ending));
  return new Map(
    [...contents]
      .filter(([path]) => !isCopy(path))
      .map(([path, plain]) => [
        toUrlPath(site, path),
        { extension: extname(path), plain, encoded: findCopies(path, contents) },
      ]),
  );
}

function findCopies(path: string, contents: ReadonlyMap<string, Variant>): PublicFile['encoded'] {
  const found = Object.entries(endings).map(([encoding, ending]) => [encoding, contents.get(path + ending)] as const);
  return Object.fromEntries(found.filter(([, variant]) => variant !== undefined));
}

/** Returns the URL path of a file, e.g. `/docs/reference/` for `reference/index.html`. */
function toUrlPath(site: string, path: string): string {
  return `/${site}/${path.replaceAll('\\', '/').replace(/(^|\/)index\.html$/, '$1')}`;
}

function findVariant(bytes: Buffer): Variant {
  return { bytes, etag: `"${hash('sha256', bytes, 'base64url').slice(0, 22)}"` };
}
