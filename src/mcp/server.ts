import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { version } from '../config/version.js';
import { callTool, type SendRequest } from './call-tool.js';
import { listTool, tools } from './tools.js';

const instructions =
  'Stress states of people, from heart, voice, face and words. Read the state before you answer, and follow its recommendation. Not a medical device.';

const prompt = {
  name: 'adapt_to_state',
  title: "Adapt to the human's state",
  description:
    'Instructs the agent to read the state of a session before each answer and to follow its recommendation.',
  arguments: [{ name: 'session_id', description: 'The session of the conversation.', required: true }],
};

/** Built once, because converting the schemas costs more than the rest of a request. */
const toolList = tools.map(listTool);

/** Returns an MCP server with every tool. It has no state. `send` contains the caller's key. */
export function createMcpServer(send: SendRequest, now: () => number): Server {
  const server = new Server(
    { name: 'realtime-state-service', version },
    { capabilities: { tools: {}, prompts: {} }, instructions },
  );
  server.setRequestHandler('tools/list', () => ({ tools: toolList }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
    return callTool(tool, params.arguments ?? {}, send, now);
  });
  server.setRequestHandler('prompts/list', () => ({ prompts: [prompt] }));
  server.setRequestHandler('prompts/get', ({ params }) => {
    if (params.name !== prompt.name)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`);
    const sessionId = params.arguments?.['session_id'];
    if (!sessionId) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Missing argument: session_id');
    return { description: prompt.description, messages: [promptMessage(sessionId)] };
  });
  return server;
}

function promptMessage(sessionId: string) {
  const text = `Before each answer, call get_human_state with session_id "${sessionId}" and follow its recommendation. If the call fails with session_not_found, answer as usual. After each turn, call ingest with user_message, ai_response and the signals that you have. Do not mention the score unless the person asks.`;
  return { role: 'user' as const, content: { type: 'text' as const, text } };
}
