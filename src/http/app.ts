import express, { type Express } from 'express';
import type { Operate } from '../contract.js';
import { type Admission, admit } from './admit.js';
import { type Authentication, authenticate, requireScope } from './authenticate.js';
import { type BatchParts, prepareBatch } from './batch.js';
import { limitBatches } from './batch-slots.js';
import { body } from './body.js';
import type { ContractDocument } from './contract-document.js';
import { countCalls } from './count-calls.js';
import { dispatch } from './dispatch.js';
import { documentation, type DocumentationParts } from './documentation.js';
import { type RunExport, serveExport } from './export.js';
import { inOrder } from './in-order.js';
import { sendJson } from './json.js';
import { limit } from './limit.js';
import { mcp } from './mcp.js';
import { type ProblemHandling, problemHandler } from './problem-handler.js';
import { type ObserveRequest, requestLog } from './request-log.js';
import { type Preparations, prepare } from './prepare.js';
import { requireSession } from './require-session.js';
import { requireProtocol } from './protocol.js';
import { createRouter, requireRoute, route } from './route.js';
import { crossOrigin, securityHeaders } from './headers.js';
import { type OpenStream, serveStream } from './stream.js';
import { traceRequest } from './trace.js';
import { createValidation } from './validate.js';
import './locals.js';

export interface AppParts extends Admission, ProblemHandling, Authentication, DocumentationParts, BatchParts {
  readonly contract: ContractDocument;
  readonly operate: Operate;
  /** Proxies whose X-Forwarded-For is trusted: the number of proxies, or their networks. */
  readonly trustProxy: number | readonly string[];
  readonly openStream: OpenStream;
  readonly runExport: RunExport;
  readonly preparations: Preparations;
  /** Origins that CORS allows. */
  readonly corsOrigins: readonly string[];
  readonly observeRequest: ObserveRequest;
}

/** Builds the app: the middleware of each request, in order. Rejects when the validator cannot use the contract. */
export async function createApp(parts: AppParts): Promise<Express> {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustProxy);
  app.response.json = sendJson;
  const { validateRequest, validateBody } = await createValidation(parts.contract);
  const middleware = inOrder([
    requestLog(parts.log, parts.observeRequest),
    traceRequest,
    securityHeaders,
    requireProtocol,
    ...crossOrigin(parts.corsOrigins),
    documentation(parts),
    mcp(app, parts),
    route(createRouter(parts.contract)),
    admit(parts),
    authenticate(parts),
    countCalls(parts.monthlyCalls),
    requireRoute,
    requireScope,
    limitBatches(),
    body,
    validateRequest,
    requireSession(parts.countFailure),
    limit(parts.sessionRequests),
    prepareBatch(parts, validateBody),
    serveStream(parts.openStream),
    serveExport(parts.runExport),
    prepare(parts.preparations),
    dispatch(parts.operate),
  ]);
  app.use(middleware, problemHandler(parts));
  return app;
}
