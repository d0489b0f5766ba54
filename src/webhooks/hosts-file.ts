import { readFile, stat } from 'node:fs/promises';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

const path = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts';

/**
 * Returns a function that looks up a name in the hosts file. After a change of the file, the function reads it again.
 */
export function createHostsFile(file = path): (hostname: string) => Promise<LookupAddress[]> {
  let readAtMs: number | undefined;
  let entries = new Map<string, LookupAddress[]>();
  return async (hostname) => {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: undefined }));
    if (mtimeMs !== undefined && mtimeMs !== readAtMs) {
      entries = parseHosts(await readFile(file, 'utf8').catch(() => ''));
      readAtMs = mtimeMs;
    }
    return entries.get(hostname.toLowerCase().replace(/\.$/, '')) ?? [];
  };
}

/** Parses the lines of a hosts file. Each line is an address followed by its names. `#` starts a comment. */
function parseHosts(text: string): Map<string, LookupAddress[]> {
  const entries = new Map<string, LookupAddress[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names.map((it) => it.toLowerCase()))
      entries.set(name, [...(entries.get(name) ?? []), { address, family }]);
  }
  return entries;
}
