import type { Request } from 'express';

/** Returns the address that the request comes from; undefined once its connection is closed. */
export function callerAddress({ socket }: Request): string | undefined {
  return socket.remoteAddress;
}
