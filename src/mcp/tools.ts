import contract from '../../generated/openapi.json' with { type: 'json' };
import type { OperationId } from '../contract.js';
import { inlined, type JsonSchema, type OperationObject, parametersOf } from './schemas.js';

/** A tool of the Model Context Protocol. It runs one operation. */
export interface Tool {
  readonly name: string;
  readonly operationId: OperationId;
  readonly description: string;
  readonly annotations: Annotations;
  /** Fields of the response that the text of a result begins with. */
  readonly leading?: readonly string[];
}

interface Annotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** Tool names are the same as in comparable MCP servers, because agents know these names. */
export const tools: readonly Tool[] = [
  {
    name: 'ingest',
    operationId: 'ingest',
    description:
      'Send the signals of a person at one time, and get the stress state with a recommendation. Send at least one of heart_rate, sdnn, rmssd, tone, expression, sentiment and urgency. To detect stress topics, send user_message and ai_response together with subject_id. Omit timestamp for a reading taken now.',
    annotations: {
      title: 'Send a reading',
      readOnlyHint: false,
      destructiveHint: false,
      // Each call without a timestamp is a new reading.
      idempotentHint: false,
      openWorldHint: false,
    },
    leading: ['recommendation'],
  },
  {
    name: 'get_human_state',
    operationId: 'getState',
    description:
      'Get the current stress state of a session. Call it before you answer the person, and follow the recommendation. The confidence falls with the age of the state. At 0, the state is outdated.',
    annotations: { title: 'Get the state', ...reads },
    leading: ['recommendation'],
  },
  {
    name: 'get_session_history',
    operationId: 'getHistory',
    description: 'Get the states of a session over the last minutes, with trend and summary.',
    annotations: { title: 'Get the history', ...reads },
    leading: ['trend'],
  },
  {
    name: 'get_trigger_memory',
    operationId: 'getTriggers',
    description: 'Get the topics that stress a person across sessions. Approach active topics with care.',
    annotations: { title: 'Get stress topics', ...reads },
    leading: ['active'],
  },
  {
    name: 'list_sessions',
    operationId: 'listSessions',
    description: 'List sessions with their latest state, newest first. Continue with next_cursor until it is null.',
    annotations: { title: 'List sessions', ...reads },
  },
  {
    name: 'delete_subject',
    operationId: 'deleteSubject',
    description:
      'Erase all data about a person: topics, baseline, sessions and history. This cannot be undone. Call it only when the person or the operator asks for it.',
    annotations: {
      title: 'Erase a person',
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  },
];

/** Path, method and definition of an operation. */
export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

/** Returns the place where the contract defines the operation. */
export function endpointOf(operationId: OperationId): Endpoint {
  const paths = contract.paths as unknown as Record<string, Record<string, OperationObject>>;
  for (const [path, methods] of Object.entries(paths))
    for (const [method, operation] of Object.entries(methods))
      if (operation.operationId === operationId) return { path, method: method.toUpperCase(), operation };
  throw new Error(`the contract has no operation ${operationId}`);
}

/** Returns the tool in the format of the protocol's list. Both schemas come from the contract. */
export function listed({ name, operationId, description, annotations }: Tool) {
  const { operation } = endpointOf(operationId);
  return { name, title: annotations.title, description, annotations, ...schemasOf(operation) };
}

function schemasOf(operation: OperationObject): { inputSchema: JsonSchema; outputSchema: JsonSchema } {
  const body = operation.requestBody?.content['application/json'].schema;
  const output = operation.responses['200']?.content['application/json'].schema;
  if (!output) throw new Error(`${operation.operationId} has no response in the contract`);
  return {
    inputSchema: body ? withoutTimestamp(inlined(body, 'first sentence')) : parametersOf(operation),
    outputSchema: inlined(output, 'none'),
  };
}

/**
 * Makes the timestamp optional. An agent does not know the time to the second, so the server adds a missing timestamp.
 */
function withoutTimestamp({ required = [], ...schema }: JsonSchema): JsonSchema {
  return { ...schema, required: required.filter((name) => name !== 'timestamp') };
}
