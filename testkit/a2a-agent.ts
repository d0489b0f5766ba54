import { DefaultAgentCardResolver, JsonRpcTransportFactory, type Client, ClientFactory } from '@a2a-js/sdk/client';
import { type Message, type Part, Role } from '@a2a-js/sdk';

export const publicUrl = 'https://state.example.com';

/** Connects the official client by the card of a service whose PUBLIC_URL is `publicUrl`. */
export async function connectA2a(
  { url, key }: { readonly url: string; readonly key: string },
  headers: Readonly<Record<string, string>> = { 'X-Service-Key': key },
): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) =>
    fetch(String(input).replace(publicUrl, url), {
      ...init,
      headers: { ...(init?.headers as Record<string, string>), ...headers },
    });
  const factory = new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  });
  return factory.createFromUrl(publicUrl);
}

/** Returns a message of a user with a skill in a data part, or with a text. */
export function toMessage(sent: string | { skill: string; arguments?: object }): Message {
  const content: Part['content'] =
    typeof sent === 'string' ? { $case: 'text', value: sent } : { $case: 'data', value: sent };
  return {
    ...{ messageId: 'm1', contextId: 'c1', taskId: '', role: Role.ROLE_USER, extensions: [], referenceTaskIds: [] },
    parts: [{ content, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
  };
}
