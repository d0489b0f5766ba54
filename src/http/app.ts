import { context } from '@opentelemetry/api';
import express, { type Express, type Request, type Response } from 'express';
import type { OperationId } from '../contract/contract.js';
import { definitions, findDefinition } from '../contract/definitions.js';
import type { IdentifyByKind } from '../contract/grant.js';
import { ProblemError } from '../contract/problem.js';
import type { FailureLimit } from '../limits/failure-limit.js';
import type { MonthlyCalls } from '../limits/monthly-calls.js';
import type { LimitPolicy } from '../limits/window-limit.js';
import { findOperation } from '../operations/index.js';
import { type Admit, createIntake, type IntakeParts } from '../readings/intake.js';
import {
  type Admission,
  createAdmit,
  createAdmitAccount,
  createAuthenticate,
  type FindErased,
  findWhose,
  limitRequests,
  requireGrant,
  requireReady,
  requireScope,
} from './admit.js';
import { createBatchFormat, createUploads, limitBatches, limitBatchesOfAccount, takeLines } from './batches.js';
import { jsonFormat, readBody, takeReading } from './body.js';
import { createOperation, type DispatchParts, type RunnableOperation, send, sendRefusal } from './dispatch.js';
import { documentation, type DocumentationParts } from './documentation.js';
import { Exchange, type Route, type Step } from './exchange.js';
import { crossOrigin, requireProtocol, setSecurityHeaders, takeKeyHeader } from './headers.js';
import { createInnerCalls } from './inner-calls.js';
import { isA2a, isAgentPath, serveA2a } from './a2a.js';
import { acceptAgent, serveMcp } from './mcp.js';
import {
  addChallenge,
  agentScopes,
  nameOwnPerson,
  nameOwnSession,
  type OAuthAccess,
  requireAgentScope,
  requireOwnPerson,
} from './oauth.js';
import { createObservation, type ObserveRequest, observeResponse } from './observe.js';
import { createRefuse, type Refusal, type RefusalParts } from './refuse.js';
import { createPersonPage, type PersonPageParts } from './person-page.js';
import { createRouter, findRoute, rejectRoute, takePagePath } from './route.js';
import { createSourceSteps, type SourceParts } from './sources.js';
import { createValidation, readQuery } from './validate.js';
import { wellKnown, type WellKnownParts } from './well-known.js';

export interface AppParts
  extends
    Admission,
    RefusalParts,
    Omit<DocumentationParts, 'published'>,
    DispatchParts,
    WellKnownParts,
    Omit<PersonPageParts, 'published' | 'authenticate'>,
    Omit<IntakeParts, 'validate'> {
  /** Identifies the credentials of requests. */
  readonly identify: IdentifyByKind;
  readonly monthlyCalls: MonthlyCalls;
  readonly countFailure: FailureLimit;
  readonly findErased: FindErased;
  readonly observeRefusal: (policy: LimitPolicy) => void;
  /** Decrypts the signing secret of a hub. */
  readonly openSecret: SourceParts['openSecret'];
  readonly readLarge?: SourceParts['readLarge'];
  readonly closing: SourceParts['closing'];
  /** Time limit for sending what a source posts, in ms. Tests change it. */
  readonly uploadMs?: number | undefined;
  /** Proxies whose X-Forwarded-For is trusted: the number of proxies, or their networks. */
  readonly trustProxy: number | readonly string[];
  readonly corsOrigins: readonly string[];
  /** Names of further headers that may contain the key, in lower case. */
  readonly keyHeaders: readonly string[];
  readonly observeRequest: ObserveRequest;
  /** The access tokens that are accepted. Absent without OAUTH_ISSUER. */
  readonly oauth?: OAuthAccess | undefined;
  /** Adds the external check of messages to the intake of single readings. Absent if the deployment has none. */
  readonly addSafetyCheck?: ((admit: Admit) => Admit) | undefined;
}

/**
 * Builds the apps of the listeners, which share all limits. `sources` serves only posts of sources. Rejects when the validator
 * cannot use the contract.
 */
export async function createApps(parts: AppParts): Promise<{ readonly app: Express; readonly sources: Express }> {
  const serve = createServe(await createOperations(parts), parts);
  const create = (handler: express.RequestHandler) => {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    app.set('trust proxy', parts.trustProxy);
    return app.use(handler);
  };
  return { app: create(serve()), sources: create(serve('source')) };
}

type Operations = ReadonlyMap<OperationId, RunnableOperation>;

/** The only operations that a listener serves, by what they take. Undefined: it serves all. */
type Only = Route['record']['takes'];

/** Returns the handler of all requests. Finds the route first, so that a request runs nothing of other paths. */
function createServe(operations: Operations, parts: AppParts): (only?: Only) => express.RequestHandler {
  const observation = createObservation(parts.log, parts.observeRequest, parts.load);
  const refuse = createRefuse(parts);
  const allowOrigin = crossOrigin(parts.corsOrigins);
  const router = createRouter([...operations.values()].map(({ route }) => route));
  const servePages = documentation(parts);
  const serveWellKnown = wellKnown(parts, agentScopes);
  const admit = createAdmit(parts);
  const { oauth } = parts;
  const authenticate = createAuthenticate(parts.identify);
  const admitAccount = createAdmitAccount(parts.monthlyCalls, parts);
  const page = createPersonPage({ ...parts, authenticate });
  const calls = createInnerCalls(operations, observation, refuse);
  const [serveMcpMessage, serveA2aMessage] = [serveMcp(calls, parts.now), serveA2a(calls, parts.now)];

  const challenge = (refusal: Refusal, exchange: Exchange, request: Request) =>
    oauth ? addChallenge(refusal, exchange, request, oauth) : refusal;

  async function run(exchange: Exchange, request: Request, response: Response, only?: Only): Promise<void> {
    setSecurityHeaders(response);
    requireProtocol(request, response);
    const ofPage = !only && takePagePath(request) ? page : undefined;
    const isOfPerson = ofPage || request.url.startsWith('/person/');
    if (!only && !isOfPerson && allowOrigin?.(request, response)) return;
    const methods = findRoute(router, exchange, request);
    if (only && exchange.route?.record.takes !== only) throw new ProblemError('path_not_found');
    exchange.isPublic &&= !ofPage;
    const isOther = !methods && !ofPage;
    if (isOther && (serveWellKnown(request, response) || (await servePages(request, response)))) return;
    const isAgent = isOther && isAgentPath(request);
    if (!exchange.isPublic && !ofPage) takeKeyHeader(request.headers, parts.keyHeaders);
    if (isAgent) acceptAgent(request, parts.corsOrigins);
    admit(exchange, response);
    if (!exchange.isPublic) {
      await (ofPage ? ofPage.authenticate(exchange, request, response) : authenticate(exchange, request));
      if (isAgent) requireAgentScope(exchange);
      admitAccount(exchange, response);
    }
    if (isAgent) return (isA2a(request) ? serveA2aMessage : serveMcpMessage)(exchange, request, response);
    if (ofPage?.serveLink(exchange, request, response)) return;
    const operation = exchange.route && operations.get(exchange.route.operationId);
    if (!operation) throw rejectRoute(methods, request, response);
    await send(operation, exchange, response);
  }

  return (only) => (request, response, next) => {
    const exchange = new Exchange(request.method, request.headers);
    response.setHeader('X-Request-Id', exchange.requestId);
    observeResponse(observation, exchange, response);
    const fail = (error: unknown) => {
      if (response.headersSent) next(error);
      else sendRefusal(response, challenge(refuse(error, exchange), exchange, request));
    };
    const running = context.with(
      observation.begin(exchange, request.headers),
      run,
      undefined,
      exchange,
      request,
      response,
      only,
    );
    running.catch(fail).catch(next);
  };
}

/** The steps of an operation, from its body to its handler. */
type CreateSteps = (route: Route) => Step[];

/**
 * Returns the operations with their steps, in order. The record of an operation states the kind of its body, and so its
 * steps.
 */
async function createOperations(parts: AppParts): Promise<Operations> {
  const { validateRequest, validateBody } = await createValidation();
  const reading = findDefinition('ingest');
  const admitReading = createIntake({ ...parts, validate: (value, faults) => validateBody(reading, value, faults) });
  const admitSingle = parts.addSafetyCheck?.(admitReading) ?? admitReading;
  const watch = createUploads();
  const batches = createBatchFormat(watch);
  const takeSource = createSourceSteps(parts, watch);
  const limit = limitRequests(parts.sessionRequests);
  // Tokens of an authorization server and links belong to a person. A service without them runs no step for them.
  const hasPeople = parts.oauth !== undefined || parts.openLink !== undefined;
  const nameOwn = (route: Route) => (hasPeople ? [nameOwnPerson(route)] : []);
  const ownSessions = hasPeople ? [nameOwnSession(parts.resolveSession)] : [];
  const own = (route: Route) => [
    ...(hasPeople ? [requireOwnPerson] : []),
    ...(hasPeople || route.acceptsToken ? [requireGrant(parts.findErased)] : []),
  ];
  const steps: Readonly<Record<'none' | 'object' | 'reading' | 'lines' | 'source', CreateSteps>> = {
    none: (route) => [...nameOwn(route), validateRequest(route), ...ownSessions, findWhose, ...own(route), limit],
    object: (route) => [readBody(route, jsonFormat), ...steps.none(route)],
    reading: (route) => [
      readBody(route, jsonFormat),
      ...nameOwn(route),
      takeReading(admitSingle, (exchange) => readQuery(route, exchange).faults),
    ],
    lines: (route) => [
      limitBatchesOfAccount(),
      readBody(route, batches),
      limitBatches(),
      validateRequest(route),
      limit,
      takeLines(admitReading, parts),
    ],
    source: (route) => takeSource(validateRequest(route)),
  };
  return new Map(
    definitions.map((definition) => {
      const route = { ...definition, record: findOperation(definition.operationId) };
      const kind = route.record.takes ?? (route.body ? 'object' : 'none');
      const ready = route.record.reportsReadiness ? [requireReady(parts)] : [];
      const all = route.isPublic ? [validateRequest(route), ...ready] : [requireScope(route), ...steps[kind](route)];
      return [route.operationId, createOperation(route, all, parts)];
    }),
  );
}
