import express, { type Express } from 'express';
import type { Logger } from 'pino';
import type { Operations } from '../contract.js';
import { type Authenticate, authenticate } from './authenticate.js';
import { body } from './body.js';
import type { ContractDocument } from './contract-document.js';
import { dispatch } from './dispatch.js';
import { problemHandler } from './problem-handler.js';
import { refuseWhenClosing } from './refuse-when-closing.js';
import { requestLog } from './request-log.js';
import { createRouter, requireRoute, route } from './route.js';
import { type ValidateOptions, validate } from './validate.js';
import './locals.js';

export interface AppParts extends ValidateOptions {
  readonly contract: ContractDocument;
  readonly operations: Operations;
  readonly callerOf: Authenticate;
  readonly log: Logger;
  readonly isClosing: () => boolean;
  readonly isTransient: (error: unknown) => boolean;
}

/** The way of a request, in order. Rejects when the contract is bad. */
export async function createApp(parts: AppParts): Promise<Express> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use(
    requestLog(parts.log),
    route(createRouter(parts.contract)),
    refuseWhenClosing(parts.isClosing),
    authenticate(parts.callerOf),
    requireRoute,
    body,
    await validate(parts.contract, parts),
    dispatch(parts.operations),
    problemHandler(parts.isTransient),
  );
  return app;
}
