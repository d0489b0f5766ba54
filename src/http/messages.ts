import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** What requests and responses are made of; as `createServer` takes it. */
export interface MessageClasses {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Classes whose instances are born as the app wants them. Express gives every request and response its own prototype
 * after they were made; V8 then lays out each of them anew, and what Express costs doubles. To an object that has that
 * prototype already nothing is done.
 */
export function messageClassesOf(app: Express): MessageClasses {
  class AppRequest extends IncomingMessage {}
  class AppResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  Object.assign(app, { request: AppRequest.prototype, response: AppResponse.prototype });
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
