import { onTestFinished } from 'vitest';
import { readGatewayConfig } from '../config.js';
import { startGateway } from '../gateway.js';
import { createEndAfterBody } from '../../../src/http/messages.js';
import { createLog } from '../../../src/observe/log.js';
import { type ModelUpstream, openModelUpstream } from '../../../testkit/model-upstream.js';
import { startTestService, type TestService } from '../../../testkit/service.js';
import { until } from '../../../testkit/until.js';

export const distress = 'My exam is tomorrow and I panic, I cannot cope any more.';
/** The headers of a caller. The session has the name of no other session. */
export type StateHeaders = Record<'X-State-Key' | 'X-State-Session' | 'X-State-Subject', string>;

/** A response with a JSON body that the test checks. */
export type JsonResponse = Omit<Response, 'json'> & { json(): Promise<ReturnType<JSON['parse']>> };

export interface Stage {
  readonly service: TestService;
  readonly upstream: ModelUpstream;
  readonly url: string;
  /** The log lines of the gateway. */
  readonly logs: string[];
  readonly headers: StateHeaders;
  /** Sends a body without an SDK. */
  post(path: string, body: NonNullable<RequestInit['body']>, headers?: Record<string, string>): Promise<JsonResponse>;
  /** Resolves with the scores of the session when it has this many readings. */
  scores(count: number): Promise<number[]>;
  /** Ends the gateway, which happens after the test anyway. */
  close(): Promise<void>;
}

/** Starts a gateway between a service and an upstream, whose URL replaces `$upstream` in a setting. The time limit for the service is long, because machines are slow. */
export async function startStage(env: Record<string, string> = {}, serviceUrl?: string): Promise<Stage> {
  const service = await startTestService();
  // The gateway uses the real time.
  service.clock.nowMs = Date.now();
  const upstream = await openModelUpstream();
  onTestFinished(upstream.close);
  const logs: string[] = [];
  const settings = {
    GATEWAY_PORT: '0',
    GATEWAY_OPENAI_URL: upstream.url,
    GATEWAY_ANTHROPIC_URL: upstream.url,
    GATEWAY_STATE_TIMEOUT_MS: '10000',
    SERVICE_URL: serviceUrl ?? service.url,
    ...Object.fromEntries(
      Object.entries(env).map(([name, text]) => [name, text.replaceAll('$upstream', upstream.url)]),
    ),
  };
  const log = createLog('debug', { write: (line: string) => void logs.push(line) });
  const gateway = await startGateway(readGatewayConfig(settings), log, createEndAfterBody());
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= gateway.close());
  onTestFinished(close);
  const { url } = gateway;
  const headers = { 'X-State-Key': service.key, 'X-State-Session': 's1', 'X-State-Subject': 'anna' };
  return {
    service,
    upstream,
    url,
    logs,
    headers,
    close,
    post: (path, body, own = {}) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers, ...own },
        body,
        duplex: 'half',
        redirect: 'manual',
      }) as Promise<JsonResponse>,
    async scores(count) {
      const history = async () => (await service.request('/v1/history?session_id=s1')).body.datapoints ?? [];
      await until(`${count} readings`, async () => (await history()).length >= count);
      return (await history()).map((it: { stress_score: number }) => it.stress_score);
    },
  };
}
