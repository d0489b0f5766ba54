import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { createDrainBody, hasSmallBody, hasUnreadBody } from './drain-body.js';

/** What requests and responses are made of; as `createServer` takes it. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/** Emitted when a response is written; it ends later where the rest of the request's body is read first. */
export const written = 'written';

/**
 * Classes whose instances have the prototypes that the app expects. Express would otherwise replace the prototype of
 * every request and response, which V8 answers by rebuilding each of them: the cost of Express doubles.
 */
export function messageClassesOf(app: Express): MessageClasses {
  const drainBody = createDrainBody();
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    /** Writes the response and, before it ends, reads what the client is still sending. */
    override end(...args: unknown[]): this {
      const { req: request } = this;
      if (!hasUnreadBody(request)) return super.end(...(args as Parameters<ServerResponse['end']>)) as this;
      if (!this.headersSent && !hasSmallBody(request)) this.setHeader('Connection', 'close');
      writeWhole(this, args);
      drainBody(request, (isComplete) => {
        super.end();
        if (isComplete) request.resume();
        else request.socket.destroySoon();
      });
      return this;
    }
  }
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Writes what `end` was called with: nothing, or the bytes with their encoding. */
function writeWhole(response: ServerResponse, [chunk, encoding]: readonly unknown[]): void {
  response.flushHeaders();
  if (chunk !== undefined) response.write(chunk, (encoding as BufferEncoding | undefined) ?? 'utf8');
  response.emit(written);
}
