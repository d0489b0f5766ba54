/** What connects without code of one's own: rows of docs/connects.md. A test proves each of them. */
import { readFileSync } from 'node:fs';
import { code } from './data-map.js';

export interface Connection {
  /** The client or program from outside. */
  readonly client: string;
  /** The npm package whose version was tested, and the folder of its package.json. Absent: requests as its maker documents them. */
  readonly npm?: string;
  readonly folder?: string;
  /** Version of a program that is no npm package. */
  readonly version?: string;
  readonly did: string;
  readonly needs: string;
  /** Path of the test. */
  readonly test: string;
}

const gateway = { folder: 'packages/gateway/tests/sdks', test: 'packages/gateway/tests/sdks/sdks.test.ts' };
const adapted = 'a chat through the gateway, also streamed';
const gatewayNeeds = 'the URL of the gateway, `X-State-Key` and `X-State-Session`';
const conformance = 'contract-tests/mcp/conformance';
const bodies = { test: 'contract-tests/submitSource/bodies.test.ts', needs: 'a source key in its URL or header' };
const sent = 'bodies as its maker documents them become minutes';
const signed = { test: 'contract-tests/submitSource/hubs.test.ts', needs: 'a connection with the signing secret' };

export const connections: readonly Connection[] = [
  {
    ...{ client: 'nefesh-cli, 13 commands', version: '1.2.0, its requests' },
    ...{
      did: 'all commands',
      needs: '`NEFESH_API_URL` and a key',
      test: 'contract-tests/accounts/key-headers.test.ts',
    },
  },
  {
    ...{ client: 'MCP client', npm: '@modelcontextprotocol/client', did: 'every tool, both revisions' },
    ...{ needs: 'the URL of `/mcp` and a key', test: 'contract-tests/mcp/http.test.ts' },
  },
  {
    ...{ client: 'MCP conformance suite', npm: '@modelcontextprotocol/conformance', folder: conformance },
    ...{ did: 'the scenarios for servers', needs: 'a key', test: `${conformance}/conformance.test.ts` },
  },
  {
    ...{ client: 'mcp-remote', npm: 'mcp-remote', folder: conformance, did: 'sign-in with OAuth, then tools' },
    ...{ needs: '`OAUTH_ISSUER` and `PUBLIC_URL`', test: `${conformance}/oauth.test.ts` },
  },
  {
    ...{ client: 'A2A client', npm: '@a2a-js/sdk', did: 'found by its card, skills, a stream of state changes' },
    ...{ needs: '`PUBLIC_URL` and a key', test: 'contract-tests/a2a/a2a.test.ts' },
  },
  ...[
    ['OpenAI SDK', 'openai'],
    ['Anthropic SDK', '@anthropic-ai/sdk'],
    ['Ollama', 'ollama'],
  ].map(([client = '', npm = '']) => ({ ...gateway, client, npm, did: adapted, needs: gatewayNeeds })),
  {
    ...{ client: 'LangChain', npm: '@langchain/openai', folder: 'examples/langchain', did: adapted },
    ...{ needs: gatewayNeeds, test: 'examples/langchain/gateway.test.ts' },
  },
  {
    ...{ client: 'Standard Webhooks', npm: 'standardwebhooks', did: 'verifies each delivery, also during a rotation' },
    ...{ needs: 'the secret of the webhook', test: 'contract-tests/delivery/bytes.test.ts' },
  },
  {
    ...{ client: 'CloudEvents SDK', npm: 'cloudevents', did: 'reads each delivery as an event' },
    ...{ needs: 'nothing', test: 'contract-tests/delivery/bytes.test.ts' },
  },
  {
    ...{ client: 'Mosquitto and Home Assistant', version: 'Mosquitto 2, discovery messages' },
    ...{ did: 'a person is a device with sensors', needs: '`tools mqtt --home-assistant`' },
    test: 'packages/tools/tests/mqtt.mosquitto.test.ts',
  },
  { client: 'Health Auto Export, Health Connect Webhook, Apple Shortcuts', did: sent, ...bodies },
  { client: 'Open Wearables, Terra, Junction', did: sent, ...signed },
];

const root = new URL('../../', import.meta.url);

/** Returns the version of a package as its folder pins it. Throws an error if it does not. */
export function readVersion({ npm, folder = '.', version = 'its documents' }: Connection): string {
  if (npm === undefined) return version;
  const manifest = JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'));
  const pinned: string | undefined = { ...manifest.dependencies, ...manifest.devDependencies }[npm];
  if (pinned === undefined) throw new Error(`${folder}/package.json does not name ${npm}`);
  return pinned;
}

export function connectionRows(): string[][] {
  return connections.map((it) => [it.client, readVersion(it), it.did, it.needs, code(it.test)]);
}
