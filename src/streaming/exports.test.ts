import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { grantOf } from '../../testkit/grants.js';
import { wholeAccount } from '../contract/whose.js';
import type { Position } from '../view/search-person.js';
import { createExports } from './exports.js';

const first: Position = { after: 0, through: 2, span: 1 };

test('an export reads a page again that it read before a slow client received the previous page', async () => {
  const clock = { nowMs: 0 };
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => clock.nowMs);
  onTestFinished(() => spy.mockRestore());
  const stored = ['kept\n', 'erased\n'];
  let received = '';
  const client = Object.assign(new EventEmitter(), {
    destroyed: false,
    writableNeedDrain: true,
    write: (text: string) => void (received += text),
    end: () => undefined,
    destroy: () => undefined,
  });
  const { run } = createExports({
    beginExport: async () => first,
    readExportPage: async (_, { after }) => {
      const isLast = after + 1 === stored.length;
      return { text: stored[after] ?? '', next: isLast ? undefined : { ...first, after: after + 1 } };
    },
    isValid: async () => true,
  });
  const request = { caller: grantOf(), format: 'ndjson', cursor: undefined, whose: wholeAccount } as const;
  const running = run(request, () => client);
  await new Promise(setImmediate);
  stored[1] = '';
  clock.nowMs += 1_000;
  client.writableNeedDrain = false;
  client.emit('drain');
  await running;
  expect(received).toBe('kept\n');
});
