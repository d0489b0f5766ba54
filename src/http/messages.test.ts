import { Socket } from 'node:net';
import express from 'express';
import { expect, test } from 'vitest';
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
