import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { connections as connectionLimits } from '../../generated/spec.js';

/** The responses in flight, by connection. */
export interface ResponseTracker {
  /**
   * Adds a response until it settles. Returns false, and the request must be dropped, when its connection is closed:
   * because it had too many queued responses, or before.
   */
  add(response: ServerResponse): boolean;
  all(): ServerResponse[];
}

/**
 * Tracks the responses of each connection. Node emits `close` for the response that a connection sends, but not for those
 * queued behind it (HTTP/1.1 pipelining): when a connection closes, this emits theirs. Without it every step that waits
 * for `close` would wait for ever.
 */
export function trackResponses(server: Server, onTooMany: () => void): ResponseTracker {
  const connections = new Map<Socket, ServerResponse[]>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, []);
    socket.once('close', () => {
      // A copy: settling removes the response from the list.
      for (const response of [...(connections.get(socket) ?? [])]) settleQueued(response);
      connections.delete(socket);
    });
  });
  return {
    add(response) {
      const { socket } = response.req;
      const responses = connections.get(socket);
      // Requests that arrived together are parsed together: destroying the socket does not stop the rest.
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

/** Queued responses have no socket yet. */
function settleQueued(response: ServerResponse): void {
  if (response.socket) return;
  response.destroy();
  response.emit('close');
}
