import express, { type Express } from 'express';
import type { Operate } from '../contract.js';
import { type Admission, admit, admitAccount } from './admit.js';
import { type Authentication, authenticate, requireScope } from './authenticate.js';
import { type BatchParts, prepareBatch } from './batch.js';
import { limitBatches, limitBatchesOfAccount } from './batch-slots.js';
import { readBody } from './body.js';
import type { ContractDocument } from './contract-document.js';
import { countCalls } from './count-calls.js';
import { dispatch } from './dispatch.js';
import { documentation, type DocumentationParts } from './documentation.js';
import { type RunExport, serveExport } from './export.js';
import { inOrder, type Middleware } from './in-order.js';
import { acceptCaller } from './internal-request.js';
import { sendJson } from './json.js';
import { limit } from './limit.js';
import { enterMcp, serveMcp } from './mcp.js';
import { type ProblemHandling, problemHandler } from './problem-handler.js';
import { type ObserveRequest, requestLog } from './request-log.js';
import { type Preparations, prepare } from './prepare.js';
import { inheritSubject, requireSession } from './require-session.js';
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
  const { validateRequest, validateBody } = await createValidation(parts.contract);
  const observe = [requestLog(parts.log, parts.observeRequest), traceRequest];
  const findRoute = route(createRouter(parts.contract));
  const operation = [
    requireRoute,
    requireScope,
    limitBatchesOfAccount(),
    readBody(),
    limitBatches(),
    inheritSubject,
    validateRequest,
    requireSession(parts.countFailure),
    limit(parts.sessionRequests),
    prepareBatch(parts, validateBody),
    serveStream(parts.openStream),
    serveExport(parts.runExport),
    prepare(parts.preparations),
    dispatch(parts),
  ];
  const toolCalls = build([...observe, findRoute, acceptCaller, ...operation], parts);
  const requests = [
    ...observe,
    securityHeaders,
    requireProtocol,
    ...crossOrigin(parts.corsOrigins),
    documentation(parts),
    findRoute,
    enterMcp(parts.corsOrigins),
    admit(parts),
    authenticate(parts),
    countCalls(parts.monthlyCalls),
    admitAccount(parts),
    serveMcp(toolCalls),
    ...operation,
  ];
  return build(requests, parts);
}

function build(chain: readonly Middleware[], parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustProxy);
  app.response.json = sendJson;
  app.use(inOrder(chain), problemHandler(parts));
  return app;
}
