import said from './turns.json' with { type: 'json' };

const characters = { user: 200, assistant: 300 };

export interface DrawnTurn {
  readonly user_message: string;
  readonly ai_response: string;
}

/**
 * Returns a turn with 200 characters of the user and 300 of the assistant. The sentences are of an ordinary day, about
 * several areas or small talk, and not from the lexicon. `random` returns numbers in [0, 1).
 */
export function drawTurn(random: () => number): DrawnTurn {
  return {
    user_message: drawText(said.user, characters.user, random),
    ai_response: drawText(said.assistant, characters.assistant, random),
  };
}

function drawText(sentences: readonly string[], length: number, random: () => number): string {
  let text = '';
  while (text.length < length) text += sentences[Math.floor(random() * sentences.length)];
  return text.slice(0, length);
}
