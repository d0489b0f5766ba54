/** No response: the service could not be reached, or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(origin: string, cause: unknown) {
    super(`no response from ${origin}`, { cause });
  }
}

/** The last attempt of a call took longer than `timeoutMs`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(readonly timeoutMs: number) {
    super(`no complete response within ${timeoutMs} ms`);
  }
}
