import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { SiteFiles } from './save.js';

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
