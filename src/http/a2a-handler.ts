import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { Role, TaskState } from '@a2a-js/sdk';
import type { Artifact, Message, Part, SendMessageRequest, StreamResponse } from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { createParser } from 'eventsource-parser';
import { type Definition, findDefinition } from '../contract/definitions.js';
import { skills } from './agent-card.js';
import { callTool, type OperationRequest, plainId, type SendRequest, type ToolResult } from './call-tool.js';
import type { StreamListener } from './inner-calls.js';
import type { Refusal } from './refuse.js';
import type { Tool } from './tools.js';

/** The refusal of a stream, which becomes the response of the request. */
export class StreamRefusedError extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.problem.code);
  }
}

export interface AgentParts {
  readonly send: SendRequest;
  /** Opens a stream. Resolves with the refusal if there is one. */
  readonly open: (request: OperationRequest, listener: StreamListener) => Promise<Refusal | undefined>;
  /** Sends a comment, so that the connection stays open. */
  readonly beat: () => void;
  /** True if the credential is limited to one person. */
  readonly hasOwnPerson: boolean;
  readonly now: () => number;
}

interface Call {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

const skillNames = skills.map((it) => it.name).join(', ');
const stateTool = skills.find((it) => it.name === 'get_human_state') as Tool;
const form = `Send one data part {"skill": NAME, "arguments": {…}}. Skills: ${skillNames}`;

/**
 * Returns what the protocol asks of an agent. A message names a skill and its arguments in a data part. Its texts are neither
 * read nor stored: a message without a data part gets the state of the credential's own person, or the list of skills.
 * There are no tasks but streams, so no task is ever found.
 */
export function createA2aHandler(parts: AgentParts): A2ARequestHandler {
  const { send, now, hasOwnPerson } = parts;
  const notFound = async (): Promise<never> => {
    throw new TaskNotFoundError('No task is stored');
  };
  const noPush = async (): Promise<never> => {
    throw new PushNotificationNotSupportedError('Register a webhook instead: POST /webhooks/register');
  };
  const noCard = async (): Promise<never> => {
    throw new UnsupportedOperationError('There is one card, at /.well-known/agent-card.json');
  };
  return {
    async sendMessage({ message }) {
      const call = findCall(message) ?? (hasOwnPerson ? { tool: stateTool, args: {} } : undefined);
      if (!call) return answer(message, { content: [{ type: 'text', text: form }] });
      return answer(message, await callTool(call.tool, call.args, send, now));
    },
    sendMessageStream: (request) => streamChanges(parts, request),
    getTask: notFound,
    cancelTask: notFound,
    async *resubscribe() {
      await notFound();
    },
    listTasks: async ({ pageSize = 0 }) => ({ tasks: [], nextPageToken: '', pageSize, totalSize: 0 }),
    createTaskPushNotificationConfig: noPush,
    getTaskPushNotificationConfig: noPush,
    listTaskPushNotificationConfigs: noPush,
    deleteTaskPushNotificationConfig: noPush,
    getAgentCard: noCard,
    getAuthenticatedExtendedAgentCard: noCard,
  };
}

/** Returns the call in the data part of a message. Undefined without a data part. */
function findCall(message: Message | undefined): Call | undefined {
  const [data, ...more] = (message?.parts ?? []).flatMap(({ content }) =>
    content?.$case === 'data' ? [content.value as unknown] : [],
  );
  if (data === undefined) return undefined;
  if (more.length > 0 || !isRecord(data)) throw new RequestMalformedError(form);
  const { skill, arguments: args = {} } = data;
  const tool = skills.find((it) => it.name === skill);
  if (!tool || !isRecord(args)) throw new RequestMalformedError(form);
  return { tool, args };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sends the changes of the state as updates of a task that exists only as long as the stream. */
async function* streamChanges(
  { open, beat, hasOwnPerson }: AgentParts,
  { message }: SendMessageRequest,
): AsyncGenerator<StreamResponse, void, undefined> {
  const definition = findDefinition('streamEvents');
  const query = { ...readNames(findCall(message), definition, hasOwnPerson), events: 'state_change' };
  const changes = new PassThrough({ objectMode: true });
  const { feed } = createParser({
    onEvent: ({ event, data }) => void (event === 'state_change' && changes.write(JSON.parse(data))),
    onComment: () => beat(),
  });
  const refusal = await open({ definition, params: {}, query }, { write: feed, end: () => void changes.end() });
  if (refusal) throw new StreamRefusedError(refusal);
  const ids = { taskId: randomUUID(), contextId: toContext(message) };
  const status = (state: TaskState) => ({ state, message: undefined, timestamp: undefined });
  const { taskId: id, contextId } = ids;
  const task = { ...{ id, contextId, status: status(TaskState.TASK_STATE_WORKING) }, artifacts: [], history: [] };
  yield { payload: { $case: 'task', value: { ...task, metadata: undefined } } };
  let append = false;
  for await (const change of changes) {
    const value = { ...ids, artifact: toArtifact(change), append, lastChunk: false, metadata: undefined };
    yield { payload: { $case: 'artifactUpdate', value } };
    append = true;
  }
  const ended = { ...ids, status: status(TaskState.TASK_STATE_COMPLETED), metadata: undefined };
  yield { payload: { $case: 'statusUpdate', value: ended } };
}

/** Returns whose changes a stream sends. Throws an error if the message names nobody and the credential is not limited. */
function readNames(call: Call | undefined, { parameters }: Definition, hasOwnPerson: boolean) {
  const { session_id, subject_id } = call?.args ?? {};
  const names = Object.entries({ session_id, subject_id }).filter(([, value]) => value !== undefined);
  const isNamed = names.length === 1 && names.every(([, value]) => typeof value === 'string');
  if (!isNamed && !(hasOwnPerson && names.length === 0))
    throw new RequestMalformedError('Name one of subject_id and session_id in the arguments of get_human_state');
  return Object.fromEntries(names.filter(([name]) => parameters.some((it) => it.name === name))) as Record<
    string,
    string
  >;
}

function toArtifact(change: unknown): Artifact {
  const [artifactId, name] = ['changes', 'state_change'];
  return { artifactId, name, description: '', parts: [toPart('data', change)], metadata: undefined, extensions: [] };
}

/** Returns the result of a tool as a message. */
function answer(message: Message | undefined, { content, structuredContent, isError }: ToolResult): Message {
  const texts = content.map(({ text }) => toPart('text', text));
  return {
    messageId: randomUUID(),
    contextId: toContext(message),
    taskId: '',
    role: Role.ROLE_AGENT,
    parts: structuredContent ? [...texts, toPart('data', structuredContent)] : texts,
    metadata: isError ? { is_error: true } : undefined,
    ...{ extensions: [], referenceTaskIds: [] },
  };
}

function toPart($case: 'text' | 'data', value: unknown): Part {
  const mediaType = $case === 'text' ? 'text/plain' : 'application/json';
  return { content: { $case, value } as NonNullable<Part['content']>, metadata: undefined, filename: '', mediaType };
}

/** Returns the conversation of a message, which clients choose. Empty if it is no plain id. */
function toContext(message: Message | undefined): string {
  return message !== undefined && plainId.test(message.contextId) ? message.contextId : '';
}
