/** A session token, or a function that returns one. The function is called once, and again when the token is rejected. */
export type TokenSource = string | (() => string | Promise<string>);

export type Credential = { readonly key: string } | { readonly token: TokenSource };

export type Send = (request: Request) => Promise<Response>;

/** Returns a function that adds the credential to the requests of a `send`. */
export function authorizationBy(credential: Credential): (send: Send) => Send {
  if ('key' in credential) return (send) => (request) => send(withHeader(request, 'X-Service-Key', credential.key));
  const { token } = credential;
  if (typeof token === 'string') return (send) => (request) => send(withToken(request, token));
  return renewing(token);
}

/** After a 401, requests a new token and sends the request once more. Calls at the same time share a token. */
function renewing(source: () => string | Promise<string>): (send: Send) => Send {
  let current: Promise<string> | undefined;
  const newest = (): Promise<string> => {
    const requested = (current ??= Promise.resolve().then(source));
    requested.catch(() => forget(requested));
    return requested;
  };
  const forget = (token: Promise<string>) => {
    if (current === token) current = undefined;
  };
  return (send) => async (request) => {
    const token = newest();
    const copy = request.clone();
    const response = await send(withToken(request, await token));
    if (response.status !== 401) return response;
    await response.body?.cancel();
    forget(token);
    return send(withToken(copy, await newest()));
  };
}

function withToken(request: Request, token: string): Request {
  return withHeader(request, 'Authorization', `Bearer ${token}`);
}

function withHeader(request: Request, name: string, value: string): Request {
  request.headers.set(name, value);
  return request;
}
