import type { RequestHandler, Response } from 'express';
import type { Schema } from '../contract.js';
import { written } from './messages.js';

/** The validated parameters of a stream request. */
export interface OpenStream {
  (
    request: {
      readonly caller: NonNullable<Express.Locals['caller']>;
      readonly sessionId: string | undefined;
      readonly type: Schema<'StreamEventType'> | undefined;
      readonly lastEventId: number | undefined;
      readonly expiresAtMs: number | undefined;
    },
    begin: () => Response,
  ): Promise<void>;
}

/** Serves the stream of events. Passes all other operations to the next middleware. */
export function serveStream(open: OpenStream): RequestHandler {
  return async (request, response, next) => {
    const { route, caller, token } = response.locals;
    if (route?.operationId !== 'streamEvents' || !caller) return next();
    const query = request.query as Readonly<Record<string, string | undefined>>;
    const lastEventId = request.get('Last-Event-ID') || query['last_event_id'];
    const wanted = {
      caller,
      sessionId: query['session_id'] ?? token?.sessionId,
      type: query['events'] as Schema<'StreamEventType'> | undefined,
      lastEventId: lastEventId === undefined ? undefined : Number(lastEventId),
      expiresAtMs: token?.expiresAtMs,
    };
    if (response.locals.isHead) return void begin(response).end();
    await open(wanted, () => begin(response));
  };
}

/** Sends the headers. From then on, the request does not count as in flight. */
function begin(response: Response): Response {
  response.setHeader('Content-Type', 'text/event-stream');
  response.setHeader('X-Accel-Buffering', 'no');
  response.flushHeaders();
  response.emit(written);
  return response;
}
