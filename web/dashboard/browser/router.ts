/** The page that the address names. Ids are in the fragment, which browsers do not send to the server. */
export type Route =
  { readonly page: 'sessions'; readonly sessionId: string | undefined } | { readonly page: 'webhooks' };

export function readRoute(fragment: string): Route {
  if (fragment === '#/webhooks') return { page: 'webhooks' };
  const [, id] = /^#\/sessions\/(.+)$/.exec(fragment) ?? [];
  return { page: 'sessions', sessionId: id === undefined ? undefined : decode(id) };
}

export function sessionLink(id: string): string {
  return `#/sessions/${encodeURIComponent(id)}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
