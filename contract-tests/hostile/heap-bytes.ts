import { once } from 'node:events';
import { WebSocket } from 'undici';

/** Returns the heap size after garbage collection, in bytes, of a process that was started with --inspect. */
export async function heapBytes(stderr: string): Promise<number> {
  const [url] = /ws:\/\/\S+/.exec(stderr) ?? [];
  if (!url) throw new Error('standard error contains no inspector URL: start the process with --inspect');
  const socket = new WebSocket(url);
  await once(socket as never, 'open');
  const ask = async (method: string): Promise<{ usedSize: number }> => {
    socket.send(JSON.stringify({ id: 1, method }));
    const [{ data }] = (await once(socket as never, 'message')) as [{ data: string }];
    return JSON.parse(data).result;
  };
  await ask('HeapProfiler.collectGarbage');
  const { usedSize } = await ask('Runtime.getHeapUsage');
  socket.close();
  return usedSize;
}
