import { StringDecoder } from 'node:string_decoder';
import { createParser } from 'eventsource-parser';
import { type Api, isComplete } from './apis.js';
import { eventStream, isOfType, lineStream } from './headers.js';

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
  const decoder = new StringDecoder();
  let bytes = 0;
  let json = '';
  let isCalling = false;
  let text = '';
  let isFinished = false;

  const read = (data: string) => {
    const part = api.readPart(parse(data));
    if (typeof part.text === 'string' && text.length < textMax) text += part.text;
    isFinished ||= isComplete(part);
    isCalling ||= part.isCall === true;
  };
  const feed = createFeed(contentType);
  function createFeed(type: string): (decoded: string) => void {
    if (isOfType(type, eventStream)) return createParser({ onEvent: ({ data }) => read(data) }).feed;
    const isLines = isOfType(type, lineStream);
    return (decoded) => {
      // A line may be as long as a response, so only its new part is searched for its end.
      const [end = '', ...lines] = isLines ? decoded.split('\n') : [decoded];
      json += end;
      for (const line of lines) {
        read(json);
        json = line;
      }
    };
  }
  return {
    add(chunk) {
      bytes += chunk.length;
      if (bytes > bytesMax) return;
      feed(decoder.write(chunk));
    },
    end() {
      // The whole response, or a last line without an end.
      if (json !== '') read(json);
      return isFinished && !isCalling && text.trim() !== '' && bytes <= bytesMax ? text.trim() : undefined;
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
