/** No response: the service could not be reached, or the connection broke. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }

  /** Returns the error of a request without a response. */
  static of({ url }: Request, cause: unknown): ConnectionError {
    return new ConnectionError(`no response from ${new URL(url).origin}`, cause);
  }
}

/** The last attempt of a call took longer than `timeoutMs`. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';

  constructor(
    readonly timeoutMs: number,
    message = `no complete response within ${timeoutMs} ms`,
  ) {
    super(message);
  }
}
