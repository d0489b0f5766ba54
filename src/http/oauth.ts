import type { Request } from 'express';
import { authentication, operationScopes, oauth as settings } from '../../generated/spec.js';
import type { Scope } from '../contract/contract.js';
import type { Definition } from '../contract/definitions.js';
import { type Grant, isToken } from '../contract/grant.js';
import { type Place, ProblemError } from '../contract/problem.js';
import type { Names } from '../contract/whose.js';
import { findOnlyPerson, isGranted } from '../view/grant.js';
import type { ResolveSession } from '../view/own-sessions.js';
import type { Exchange, Step } from './exchange.js';
import { isAgentPath } from './a2a.js';
import type { Refusal } from './refuse.js';
import { tools } from './tools.js';
import { protectedResourcePath } from './well-known.js';

/** The tokens of an authorization server, as the service accepts them. */
export interface OAuthAccess {
  /** The identifier of the protected resource: the URL of `/mcp`. */
  readonly resource: string;
  /** What clients write before each scope in their requests. */
  readonly scopePrefix: string;
}

const requiredScopes: Readonly<Record<string, Scope>> = operationScopes;
const neverScopes: readonly string[] = settings.never_scopes;

/** The scopes that an agent needs for the tools, as far as a token can have them. */
export const agentScopes = [...new Set(tools.map((it) => it.scope))]
  .filter((scope) => !neverScopes.includes(scope))
  .sort();

/** Rejects an access token at an endpoint of agents without the scope of any tool (403). */
export function requireAgentScope({ caller }: Exchange): void {
  if (caller?.kind === 'oauth' && !agentScopes.some((it) => caller.scopes.includes(it)))
    throw new ProblemError('insufficient_scope', { values: { scope: agentScopes.join(' ') } });
}

/** Returns a refusal with the challenge of RFC 6750. At an endpoint of agents, it names the metadata of the resource (RFC 9728). */
export function addChallenge(
  refusal: Refusal,
  exchange: Exchange,
  request: Request,
  { resource, scopePrefix }: OAuthAccess,
): Refusal {
  const { code, status } = refusal.problem;
  const { caller } = exchange;
  const isOfToken = code === 'invalid_token' || (code === 'insufficient_scope' && caller && isToken(caller));
  if (status !== 401 && !isOfToken) return refusal;
  const [apiKey, bearer] = authentication.challenge.split(', ') as [string, string];
  const isAgent = isAgentPath(request);
  const scopes = isAgent ? agentScopes : [requiredScopes[exchange.route?.operationId ?? '']];
  const scope = scopes.map((it) => scopePrefix + it).join(' ');
  const challenge = [
    bearer,
    ...(isAgent ? [`resource_metadata="${new URL(protectedResourcePath + request.path, resource).href}"`] : []),
    ...(isOfToken ? [`error="${code}"`] : []),
    ...(isAgent || code === 'insufficient_scope' ? [`scope="${scope}"`] : []),
  ].join(', ');
  // Some clients read the first challenge only.
  const all = isAgent || status !== 401 ? challenge : `${apiKey}, ${challenge}`;
  return { ...refusal, headers: { ...refusal.headers, 'WWW-Authenticate': all } };
}

/**
 * Returns a step that names the person of a token that is limited to a person: where the request names nobody, and in
 * place of `me`. An agent does not know the id.
 */
export function nameOwnPerson({ parameters, body: content }: Definition): Step {
  const isInQuery = parameters.some((it) => it.in === 'query' && it.name === 'subject_id');
  const isInBody = content?.schema.properties?.['subject_id'] !== undefined;
  return (exchange) => {
    const own = findOnlyPerson(exchange.caller);
    if (own === undefined) return;
    const { params, query, body } = exchange;
    if (params['subject_id'] === 'me') exchange.params = { ...params, subject_id: own };
    if (isInQuery) exchange.query = withPerson(query, own);
    if (isInBody && typeof body === 'object' && body !== null) exchange.body = withPerson(body, own);
  };
}

/** Returns the names of a request with the own person. Throws other_person if they name another one. */
function withPerson(names: object, own: string): object {
  const { session_id, subject_id = session_id === undefined ? own : undefined } = names as Record<string, unknown>;
  if (subject_id === undefined) return names;
  if (subject_id !== 'me' && subject_id !== own) throw new ProblemError('other_person');
  return { ...names, subject_id: own };
}

/**
 * Returns a step that replaces the session id of a credential of one person by the id of the session that it means. Limits,
 * records and handlers therefore know only the latter.
 */
export function nameOwnSession(resolve: ResolveSession): Step {
  const replace = async (caller: Grant, named: object, place: Place): Promise<object> => {
    const { session_id } = named as Names;
    return session_id === undefined ? named : { ...named, session_id: await resolve(caller, session_id, place) };
  };
  const replaceAll = async (exchange: Exchange, caller: Grant): Promise<void> => {
    const { query, body } = exchange;
    exchange.query = await replace(caller, query, { parameter: 'session_id' });
    if (typeof body === 'object' && body !== null)
      exchange.body = await replace(caller, body, { pointer: '/session_id' });
  };
  return (exchange) => {
    const { caller } = exchange;
    return caller?.namespace === undefined ? undefined : replaceAll(exchange, caller);
  };
}

/** Rejects a token of a person on a request for data of other people. Only the gate knows whose a session is. */
export const requireOwnPerson: Step = ({ caller, whose }) => {
  if (caller && findOnlyPerson(caller) !== undefined && !isGranted(caller, whose))
    throw new ProblemError('other_person');
};
