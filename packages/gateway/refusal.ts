/** An error that the gateway returns instead of a response of the model. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly type: string,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Returns the error of a request that failed without a Refusal. */
export function describeRefusal(error: unknown): Refusal {
  const { name, code } = error as { name?: unknown; code?: unknown };
  if (name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE') return clientClosed();
  if (code === 'UND_ERR_HEADERS_TIMEOUT')
    return new Refusal(504, 'api_error', 'upstream_timeout', 'the model did not start to respond in time');
  return new Refusal(502, 'api_error', 'upstream_unavailable', 'the gateway got no response from the model');
}

export const upgradeRequiredStatus = 426;

/** Returns the error of a WebSocket, which would otherwise become a plain GET. */
export function upgradeRequired(): Refusal {
  const message = 'the gateway forwards no WebSocket: send the request over HTTP, or connect to the vendor';
  return new Refusal(upgradeRequiredStatus, 'invalid_request_error', 'websocket_unsupported', message);
}

export function clientClosed(): Refusal {
  return new Refusal(499, 'api_error', 'client_closed', 'the client closed the connection');
}
