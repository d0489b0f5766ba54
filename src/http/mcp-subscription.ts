import type { McpHttpHandler, SubscriptionsListenRequest } from '@modelcontextprotocol/server';
import type { Response } from 'express';
import { stream as settings } from '../../generated/spec.js';
import { findDefinition } from '../contract/definitions.js';
import { createValidationError } from '../contract/problem.js';
import { sendRefusal, startStream } from './dispatch.js';
import type { Exchange } from './exchange.js';
import type { InnerCalls } from './inner-calls.js';
import { whenSettled } from './messages.js';

interface Subscribed {
  readonly uri: string;
  readonly sessionId: string;
}

interface Subscription {
  readonly calls: InnerCalls;
  readonly exchange: Exchange;
  readonly response: Response;
  readonly handler: McpHttpHandler;
  /** The response of the handler. Its body contains the updates that the handler is notified of. */
  readonly answer: globalThis.Response;
  readonly subscribed: readonly Subscribed[];
}

/**
 * Returns the resources in the body of a `subscriptions/listen` request. Throws a validation error if there are too many,
 * or if a URI does not name a session.
 */
export function findSubscribed(body: string, readSessionId: (uri: string) => string | undefined): Subscribed[] {
  const { params }: SubscriptionsListenRequest = JSON.parse(body);
  const uris = [...new Set(params.notifications.resourceSubscriptions)];
  const pointer = '/params/notifications/resourceSubscriptions';
  const most = settings.subscription_sessions_max;
  if (uris.length > most) throw createValidationError('too_many_items', { pointer }, String(most));
  return uris.map((uri, index) => {
    const sessionId = readSessionId(uri);
    if (sessionId !== undefined) return { uri, sessionId };
    const place = { pointer: `${pointer}/${index}` };
    throw createValidationError('pattern_mismatch', place, 'state://sessions/{session_id}');
  });
}

/**
 * Sends the updates of a subscription until it ends. Each session becomes a stream of its state changes by the
 * operation, so scopes, limits and the end of the key are those of a stream. If the operation refuses a session, sends
 * its response instead.
 */
export async function streamUpdates({ calls, exchange, response, handler, answer, subscribed }: Subscription) {
  const definition = findDefinition('streamEvents');
  const end = () => void handler.close();
  whenSettled(response, end);
  // Each session adds listeners.
  response.setMaxListeners(0);
  for (const { uri, sessionId } of subscribed) {
    const request = { definition, params: {}, query: { session_id: sessionId, events: 'state_change' } };
    // The other texts are the start and the end of the stream. The handler has its own.
    const write = (text: string) => {
      if (/^event: state_change$/m.test(text)) handler.notify.resourceUpdated(uri);
      else if (/^:/.test(text) && response.headersSent) response.write(text);
    };
    const refusal = await calls.stream(exchange, request, response, { write, end });
    if (refusal) return sendRefusal(response, refusal);
  }
  copyHead(answer, response);
  startStream(response);
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}

export function copyHead(from: globalThis.Response, to: Response): void {
  to.status(from.status);
  from.headers.forEach((value, name) => void to.setHeader(name, value));
}
