import { createParser } from 'eventsource-parser';
import { type Api, isComplete } from './apis.js';

/** Collects the text of a response while the response passes. */
export interface ResponseText {
  add(chunk: Buffer): void;
  /** Returns the text. Undefined if the response is incomplete, e.g. because it calls a tool. */
  end(): string | undefined;
}

/** A longer response is not read. */
const bytesMax = 8_388_608;
/** The service reads the start of a text only. */
const textMax = 4_096;

export function collectText(api: Api, contentType: string): ResponseText {
  const decoder = new TextDecoder();
  let bytes = 0;
  let json = '';
  let text = '';
  let isFinished = false;

  const read = (data: string) => {
    const part = api.readPart(parse(data));
    if (typeof part.text === 'string' && text.length < textMax) text += part.text;
    isFinished ||= isComplete(part);
  };
  const parser = contentType.startsWith('text/event-stream')
    ? createParser({ onEvent: ({ data }) => read(data) })
    : undefined;
  return {
    add(chunk) {
      bytes += chunk.length;
      if (bytes > bytesMax) return;
      const decoded = decoder.decode(chunk, { stream: true });
      if (parser) parser.feed(decoded);
      else json += decoded;
    },
    end() {
      if (!parser) read(json);
      return isFinished && text.trim() !== '' && bytes <= bytesMax ? text.trim() : undefined;
    },
  };
}

/** Returns undefined for text that is not JSON, e.g. the last event of OpenAI, `[DONE]`. */
function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}
