import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { createEndAfterBody } from './unread-body.js';

/** Classes of requests and responses, as options of `createServer`. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Event that is emitted when a response is written. The response may end later, after the rest of the request's body is
 * read.
 */
export const written = 'written';

/**
 * Returns classes whose instances have the prototypes that the app expects. Otherwise, Express replaces the prototype
 * of every request and response. V8 then rebuilds each object, which doubles the cost of Express.
 */
export function messageClassesOf(app: Express): MessageClasses {
  const endAfterBody = createEndAfterBody();
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    /** Writes the response. Reads the rest of the request's body before the response ends. */
    override end(...args: unknown[]): this {
      const isUnread = endAfterBody(
        this,
        () => writeWhole(this, args),
        () => super.end(),
      );
      return isUnread ? this : (super.end(...(args as Parameters<ServerResponse['end']>)) as this);
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Writes the arguments of `end`: nothing, or bytes with their encoding. */
function writeWhole(response: ServerResponse, [chunk, encoding]: readonly unknown[]): void {
  response.flushHeaders();
  if (chunk !== undefined) response.write(chunk, (encoding as BufferEncoding | undefined) ?? 'utf8');
  response.emit(written);
}
