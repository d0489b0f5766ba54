/** The page that the address names. Ids are in the fragment, which browsers do not send to the server. */
export type Route =
  | { readonly page: 'sessions'; readonly sessionId: string | undefined }
  | { readonly page: 'person'; readonly subjectId: string; readonly period: string }
  | { readonly page: 'people' | 'webhooks' | 'try' | 'unknown' };

const homes = ['', '#', '#/', '#main'];
const pages = ['people', 'webhooks', 'try'] as const;

export function readRoute(fragment: string): Route {
  const [, subject, period = ''] = /^#\/subjects\/([^/]+)\/?(.*)$/.exec(fragment) ?? [];
  if (subject !== undefined) return { page: 'person', subjectId: decode(subject), period };
  const [, id] = /^#\/sessions\/(.+)$/.exec(fragment) ?? [];
  if (id !== undefined) return { page: 'sessions', sessionId: decode(id) };
  if (homes.includes(fragment)) return { page: 'sessions', sessionId: undefined };
  return { page: pages.find((it) => fragment === `#/${it}`) ?? 'unknown' };
}

export function sessionLink(id: string): string {
  return `#/sessions/${encodeURIComponent(id)}`;
}

/** Returns the address of a person's page. `period` is e.g. `week/2026-11-23`. Default: the last seven days. */
export function personLink(subjectId: string, period = ''): string {
  return `#/subjects/${encodeURIComponent(subjectId)}${period === '' ? '' : `/${period}`}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
