import type { Agent } from 'undici';
import type { createAgent } from './agent.js';

/** An agent that is there once it has been asked for. */
export interface LazyAgent {
  readonly ask: () => Promise<Agent>;
  close(): Promise<void>;
}

/** The first attempt opens it: its library weighs eight megabytes, and many deployments have no webhooks. */
export function openAgent(...parts: Parameters<typeof createAgent>): LazyAgent {
  let opening: Promise<Agent> | undefined;
  const open = async () => (await import('./agent.js')).createAgent(...parts);
  return {
    ask: () => (opening ??= open()),
    close: async () => (await opening)?.destroy(),
  };
}
