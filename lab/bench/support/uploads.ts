import { request } from 'node:http';

/** A request of 31 MB that takes seconds to parse. */
export const largeBody = Buffer.from(
  `{"messages":[{"role":"user","content":"Hello."}],"x":${'['.repeat(15_500_000)}${']'.repeat(15_500_000)}}`,
);

/** Sends the large body to the gateway. Resolves with the status of the response, or with 0 if the connection breaks first. */
export function upload(gatewayUrl: string, key: string): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'X-State-Key': key, 'X-State-Session': 'upload', 'Content-Length': largeBody.length };
    const options = { method: 'POST', headers, agent: false };
    const sent = request(`${gatewayUrl}/v1/chat/completions`, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('error', () => resolve(0));
    sent.end(largeBody);
  });
}

/** Returns a key with the form of a valid one. */
export function forgeKey(index: number): string {
  return `sk_${String(index).padStart(32, '0')}`;
}
