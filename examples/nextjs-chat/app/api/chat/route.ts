import { openai } from '@ai-sdk/openai';
import {
  convertToModelMessages,
  type LanguageModelMiddleware,
  streamText,
  type UIMessage,
  wrapLanguageModel,
} from 'ai';
import { createStateClient } from 'realtime-state-client';
import { adaptToState } from 'realtime-state-client/ai-sdk';

/** Reads SERVICE_URL and SERVICE_KEY, which stay on the server. */
const client = createStateClient();
const conversationsMax = 1_000;
/** One middleware per conversation, because it keeps the previous turn. The oldest is dropped. */
const conversations = new Map<string, LanguageModelMiddleware>();

export async function POST(request: Request): Promise<Response> {
  const { id, messages }: { id: string; messages: UIMessage[] } = await request.json();
  const model = wrapLanguageModel({ model: openai.chat('gpt-4o-mini'), middleware: findConversation(id) });
  return streamText({ model, messages: await convertToModelMessages(messages) }).toUIMessageStreamResponse();
}

function findConversation(id: string): LanguageModelMiddleware {
  const known = conversations.get(id);
  if (known) return known;
  const middleware = adaptToState({
    client,
    sessionId: `chat-${id}`,
    // Set by trusted code: the hashed id of the user who is logged in.
    subjectId: 'demo-nextjs',
    deriveSentiment: true,
    onError: (error) => console.error('no state:', error),
  });
  const [oldest] = conversations.keys();
  if (oldest !== undefined && conversations.size >= conversationsMax) conversations.delete(oldest);
  conversations.set(id, middleware);
  return middleware;
}
