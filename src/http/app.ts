import express, { type Express } from 'express';
import type { LimitPolicy } from '../limits/allowance.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import type { MonthlyCalls } from '../limits/monthly-calls.js';
import { definitions } from '../contract/definitions.js';
import { findOperation } from '../operations/index.js';
import { createIntake, type IntakeParts } from '../readings/intake.js';
import { type Admission, admit, admitAccount, countCalls, limitRequests, requireOwnSession } from './admit.js';
import { type Authentication, authenticate, requireScope } from './authenticate.js';
import { readBody } from './body.js';
import { dispatch, type DispatchParts } from './dispatch.js';
import { documentation, type DocumentationParts } from './documentation.js';
import { crossOrigin, requireProtocol, securityHeaders } from './headers.js';
import { inOrder, type Middleware } from './in-order.js';
import { acceptCaller } from './internal-request.js';
import { enterMcp, serveMcp } from './mcp.js';
import { type ObserveRequest, requestLog, traceRequest } from './observe.js';
import { type ProblemHandling, problemHandler } from './problem-handler.js';
import { limitBatches, limitBatchesOfAccount, takeLines, takeReading } from './readings.js';
import { createRouter, findRoute, type Route, runRoute } from './route.js';
import { createValidation, readQuery } from './validate.js';
import './locals.js';

export interface AppParts
  extends Admission, ProblemHandling, Authentication, DocumentationParts, DispatchParts, Omit<IntakeParts, 'validate'> {
  readonly monthlyCalls: MonthlyCalls;
  readonly countFailure: FailureLimit;
  readonly observeRefusal: (policy: LimitPolicy) => void;
  /** Proxies whose X-Forwarded-For is trusted: the number of proxies, or their networks. */
  readonly trustProxy: number | readonly string[];
  /** Origins that CORS allows. */
  readonly corsOrigins: readonly string[];
  readonly observeRequest: ObserveRequest;
}

/** Builds the app: the middleware of each request, in order. Rejects when the validator cannot use the contract. */
export async function createApp(parts: AppParts): Promise<Express> {
  const routes = definitions.map((it) => ({ ...it, record: findOperation(it.operationId) }));
  const steps = await createSteps(routes, parts);
  const observe = [requestLog(parts.log, parts.observeRequest), traceRequest];
  const route = findRoute(createRouter(routes));
  const operation = runRoute(new Map(routes.map((it) => [it.operationId, inOrder(steps(it))])));
  const toolCalls = build([...observe, route, acceptCaller, operation], parts);
  const requests = [
    ...observe,
    securityHeaders,
    requireProtocol,
    ...crossOrigin(parts.corsOrigins),
    documentation(parts),
    route,
    enterMcp(parts.corsOrigins),
    admit(parts),
    authenticate(parts),
    countCalls(parts.monthlyCalls),
    admitAccount(parts),
    serveMcp(toolCalls, parts.now),
    operation,
  ];
  return build(requests, parts);
}

/**
 * Returns a function that returns the middleware of an operation, in order. Middleware that the operation does not need
 * is left out.
 */
async function createSteps(routes: readonly Route[], parts: AppParts): Promise<(route: Route) => Middleware[]> {
  const { validateRequest, validateBody } = await createValidation();
  const reading = routes.find(({ record }) => record.takes === 'reading');
  if (!reading) throw new Error('no operation takes a reading');
  const admitReading = createIntake({ ...parts, validate: (value, faults) => validateBody(reading, value, faults) });
  const read = readBody();
  const limitEach = limitRequests(parts.sessionRequests);
  return (route) => {
    const { record, isPublic, acceptsToken } = route;
    const end = dispatch(route, parts);
    if (isPublic) return [validateRequest, end];
    const body = route.body ? [read] : [];
    if (record.takes === 'reading') {
      const readFaults = (request: express.Request) => readQuery(route, request).faults;
      return [requireScope, ...body, takeReading(admitReading, readFaults), end];
    }
    if (record.takes === 'lines') {
      const upload = [limitBatchesOfAccount(), ...body, limitBatches()];
      return [requireScope, ...upload, validateRequest, limitEach, takeLines(admitReading, parts), end];
    }
    const own = acceptsToken ? [requireOwnSession] : [];
    return [requireScope, ...body, validateRequest, ...own, limitEach, end];
  };
}

function build(chain: readonly Middleware[], parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', parts.trustProxy);
  app.use(inOrder(chain), problemHandler(parts));
  return app;
}
