/** Functions that read the environment variables of the gateway. Each throws a ConfigError that names the remedy. */
import { parseUrl } from '../settings/parse-url.js';
import { ConfigError, splitList } from '../settings/variables.js';
import { kinds } from './upstreams.js';

/** Errors never contain the text, which may include a password. */
export function readUrl(text: string): URL {
  const url = /^https?:\/\//.test(text) ? parseUrl(text) : undefined;
  if (!url || url.username || url.password || url.search || url.hash)
    throw new ConfigError('must be an http or https URL without a user, a query and a fragment');
  return url;
}

/** Each one is NAME=KIND:URL. Errors never contain the text. */
export function readUpstreams(text: string) {
  return splitList(text).map((it, index) => {
    const [, name = '', kind = '', url = ''] = /^([a-z0-9][a-z0-9-]{0,31})=([a-z]+):(.+)$/.exec(it) ?? [];
    const known = kinds.find((one) => one === kind);
    if (!known)
      throw new ConfigError(
        `must be NAME=KIND:URL, comma-separated, with the kind ${kinds.join(', ')}: see number ${index + 1}`,
      );
    return { name, kind: known, url: readUrl(url) };
  });
}
