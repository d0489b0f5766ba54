import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from 'pino';
import { connections as connectionLimits } from '../../generated/spec.js';

/** The responses in flight, per connection. */
export interface ResponseTracker {
  /**
   * Adds a response until it settles. Returns false if the connection is closed or has too many queued responses. The
   * caller must then drop the request.
   */
  add(response: ServerResponse): boolean;
  all(): ServerResponse[];
}

/**
 * Tracks the responses of each connection. When a connection closes, Node emits `close` only for the response that is
 * being sent, but not for the queued responses of pipelined requests. This function emits `close` for the queued
 * responses. Otherwise, middleware that waits for `close` would never continue.
 */
export function trackResponses(server: Server, onTooMany: () => void): ResponseTracker {
  const connections = new Map<Socket, ServerResponse[]>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, []);
    socket.once('close', () => {
      // Iterates over a copy, because settling removes the response from the list.
      for (const response of [...(connections.get(socket) ?? [])]) settleQueued(response);
      connections.delete(socket);
    });
  });
  return {
    add(response) {
      const { socket } = response.req;
      const responses = connections.get(socket);
      // Node parses all requests of one network read together. Destroying the socket does not stop the remaining
      // requests.
      if (!responses || socket.destroyed) return false;
      if (responses.length > connectionLimits.queued_responses_max) {
        socket.destroy();
        onTooMany();
        return false;
      }
      responses.push(response);
      response.once('close', () => responses.splice(responses.indexOf(response), 1));
      return true;
    },
    all: () => [...connections.values()].flat(),
  };
}

/** Settles a queued response, which has no socket yet. */
function settleQueued(response: ServerResponse): void {
  if (response.socket) return;
  response.destroy();
  response.emit('close');
}

const quietMs = 10_000;

/**
 * Returns a function that logs an event which clients can trigger at will. It logs at most one line per 10 s, with the
 * number of connections.
 */
export function warnSparingly(log: Logger, message: string): () => void {
  let connections = 0;
  let quietUntilMs = 0;
  return () => {
    connections += 1;
    const nowMs = performance.now();
    if (nowMs < quietUntilMs) return;
    log.warn({ connections }, message);
    connections = 0;
    quietUntilMs = nowMs + quietMs;
  };
}
