import { lookup, type LookupAddress } from 'node:dns';

/** Resolves with the addresses of a name; rejects with NameNotResolvedError. */
export type ResolveName = (hostname: string, accountId: string) => Promise<LookupAddress[]>;

export class NameNotResolvedError extends Error {}

export const resolveName: ResolveName = (hostname) =>
  new Promise((resolve, reject) => {
    lookup(hostname, { all: true }, (error, found) => {
      if (error) reject(new NameNotResolvedError(`${hostname} does not resolve`, { cause: error }));
      else resolve(found);
    });
  });
