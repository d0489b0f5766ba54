import { once } from 'node:events';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import express from 'express';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../testkit/listen.js';
import { openSocket } from '../../testkit/open-socket.js';
import { createMessageClasses } from './messages.js';

test('requests and responses are created with the prototypes that Express would set', () => {
  const app = express();
  const { IncomingMessage, ServerResponse } = createMessageClasses(app);
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  expect(Object.getPrototypeOf(request)).toBe(app.request);
  expect(Object.getPrototypeOf(response)).toBe(app.response);
  expect(request).toMatchObject({ app, get: express.request.get });
  expect(response).toMatchObject({ app, json: express.response.json });
});

test('a connection whose body never ends is read 500 times, then closed', async () => {
  const app = express().use((_request, response) => void response.status(413).end('too large'));
  const server = createServer(createMessageClasses(app), app);
  const accepted = once(server, 'connection');
  const { socket: client } = openSocket(await listen(server));
  const [socket] = (await accepted) as [Socket];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  client.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000\r\n\r\nx');
  expect(String((await once(client, 'data'))[0])).toMatch(/^HTTP\/1\.1 413 /);
  vi.advanceTimersByTime(498 * 10);
  expect(socket.writable).toBe(true);
  vi.advanceTimersByTime(10);
  expect(socket.writable).toBe(false);
});
