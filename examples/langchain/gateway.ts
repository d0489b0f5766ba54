/** A LangChain chat model behind the gateway, which adds the state of the person to each request. Copy it into your project. */
import { ChatOpenAI } from '@langchain/openai';

export interface Conversation {
  /** API key of the state service, `sk_…`, or a session token. */
  readonly stateKey: string;
  readonly sessionId: string;
  /** The person across sessions, hashed. */
  readonly subjectId: string;
}

/** Returns a model for one conversation. `OPENAI_API_KEY` is the key of the model. */
export function createAdaptiveModel({ stateKey, sessionId, subjectId }: Conversation, gateway: string, model: string) {
  return new ChatOpenAI({
    model,
    configuration: {
      baseURL: `${gateway}/v1`,
      defaultHeaders: {
        'X-State-Key': stateKey,
        'X-State-Session': sessionId,
        'X-State-Subject': subjectId,
      },
    },
  });
}
