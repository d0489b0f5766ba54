import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

/** Returns scripts and styles of the entry points, each in one file. The keys are `assets/NAME`. */
export async function bundle(folder: URL, entryPoints: readonly string[]): Promise<[string, Uint8Array][]> {
  const { outputFiles } = await build({
    entryPoints: entryPoints.map((path) => fileURLToPath(new URL(path, folder))),
    outdir: 'assets',
    entryNames: '[name]',
    bundle: true,
    minify: true,
    write: false,
    target: 'es2022',
    logLevel: 'warning',
  });
  return outputFiles.map(({ path, contents }) => [`assets/${basename(path)}`, contents]);
}

/**
 * Minimum size of a compressed file, bytes. A smaller file fits into one packet without compression. PNG is already
 * compressed.
 */
const bytesMin = 1_024;
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };

/**
 * Adds `FILE.br` and `FILE.gz` for each file that compression makes smaller. The service therefore never compresses a
 * response.
 */
export async function withCompressed(files: SiteFiles): Promise<SiteFiles> {
  const added = await Promise.all([...files].map(([path, content]) => compress(path, Buffer.from(content))));
  return new Map([...files, ...added.flat()]);
}

async function compress(path: string, content: Buffer): Promise<Array<[string, Uint8Array]>> {
  if (content.length < bytesMin || path.endsWith('.png')) return [];
  const [br, gz] = await Promise.all([promisify(brotliCompress)(content, brotli), promisify(gzip)(content)]);
  const all: Array<[string, Buffer]> = [
    [`${path}.br`, br],
    [`${path}.gz`, gz],
  ];
  return all.filter(([, bytes]) => bytes.length < content.length);
}

/** Contents of the site's files, by path. */
export type SiteFiles = ReadonlyMap<string, string | Uint8Array>;
