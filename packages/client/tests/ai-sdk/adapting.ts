import * as ai6 from 'ai';
import * as ai7 from 'ai7';
import { MockLanguageModelV3 } from 'ai/test';
import { MockLanguageModelV4 } from 'ai7/test';
import { type AdaptOptions, adaptToState } from '../../src/ai-sdk.js';
import { createStateClient, type StateReading } from '../../src/index.js';
import { startTestService } from '../../../../testkit/service.js';

type Ai = typeof ai6;
type Model = InstanceType<typeof MockLanguageModelV3>;
type Generated = Awaited<ReturnType<Model['doGenerate']>>;
type Streamed = Awaited<ReturnType<Model['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
type Generate = (call: { readonly abortSignal?: AbortSignal | undefined }) => Generated | Promise<Generated>;

/** A version of the AI SDK with its model for tests. */
export interface Sdk {
  readonly version: number;
  readonly ai: Ai;
  readonly createModel: (doGenerate: (call: Parameters<Generate>[0]) => Promise<Generated>, parts: Streamed[]) => Model;
}

/**
 * The supported versions. The tests call both in the same way. Their types differ only in parts that the tests do not use:
 * `ai-sdk-types.test.ts` compiles the middleware with the types of version 7.
 */
export const sdks: readonly Sdk[] = [
  {
    version: 6,
    ai: ai6,
    createModel: (doGenerate, parts) =>
      new MockLanguageModelV3({ doGenerate, doStream: async () => ({ stream: streamOf(parts) }) }),
  },
  {
    version: 7,
    ai: ai7 as unknown as Ai,
    createModel: (doGenerate, parts) =>
      new (MockLanguageModelV4 as unknown as typeof MockLanguageModelV3)({
        doGenerate,
        doStream: async () => ({ stream: streamOf(parts) }),
      }),
  },
];

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
export const finished = { finishReason: { unified: 'stop' as const, raw: 'stop' }, usage, warnings: [] };

/** Returns the response of a model with a text. */
export function answering(text: string): Generated {
  return { ...finished, content: [{ type: 'text' as const, text }] };
}

function streamOf(parts: Streamed[]): ReadableStream<Streamed> {
  return ai6.simulateReadableStream({ chunks: parts });
}

/** The responses of a model. */
export interface Answers {
  readonly generate?: Generate;
  readonly parts?: Streamed[];
}

/** Starts a service, and returns an adapted model that records its prompts. */
export async function startAdapting(
  { ai, createModel }: Sdk,
  options: Partial<AdaptOptions> = {},
  { generate = () => answering('Which part worries you?'), parts = [] }: Answers = {},
) {
  const service = await startTestService();
  const client = createStateClient({ baseUrl: service.url, key: service.key });
  const states: StateReading[] = [];
  const errors: unknown[] = [];
  const mock = createModel(async (call) => generate(call), parts);
  const middleware = adaptToState({
    ...{ client, sessionId: 's1', call: { timeoutMs: 30_000 } },
    onState: (reading) => void states.push(reading),
    onError: (error) => void errors.push(error),
    ...options,
  });
  const systemOf = (index: number) =>
    mock.doGenerateCalls[index]?.prompt.find(({ role }) => role === 'system')?.content;
  const model = ai.wrapLanguageModel({ model: mock, middleware });
  return { service, client, mock, model, states, errors, systemOf };
}
