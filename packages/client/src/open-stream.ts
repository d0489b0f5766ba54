import type { CallOptions } from './options.js';
import { sleep } from './retry.js';
import type { StreamEventType } from './schemas.js';
import { followStream, type StreamEvent, type StreamOptions } from './stream.js';
import { readBody, type Transport } from './transport.js';

const mediaType = 'text/event-stream';

/** Follows the stream of the service. The position is a query parameter, because a header requires more of CORS. */
export function openStream<Type extends StreamEventType>(
  { api, once, limitsOf }: Transport,
  options: StreamOptions<Type>,
  call: CallOptions,
): AsyncGenerator<StreamEvent<Type>, void, undefined> {
  const { sessionId, subjectId, events } = options;
  const asked = {
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(subjectId !== undefined && { subject_id: subjectId }),
    ...(events !== undefined && { events }),
  };
  const connect = async (lastEventId: string | undefined, signal: AbortSignal) => {
    const query = { ...asked, ...(lastEventId !== undefined && { last_event_id: lastEventId }) };
    return readBody(await api.GET('/v1/stream', { ...once(signal, call), params: { query } }), mediaType);
  };
  return followStream({ ...limitsOf(call), connect, signal: call.signal, sleep, random: Math.random }, options);
}
