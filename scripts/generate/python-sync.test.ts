import { expect, test } from 'vitest';
import { toSynchronous } from './python-sync.js';

test('a generator of the synchronous client closes the generator inside', () => {
  const source =
    'async def rows(self) -> Rows:\n    async for row in self._rows():\n        yield row\n    await anyio.sleep(1)\n';
  expect(toSynchronous(source)).toBe('def rows(self) -> Rows:\n    yield from self._rows()\n    time.sleep(1)\n');
});

test('a call without a synchronous form is refused', () => {
  expect(() => toSynchronous('await anyio.to_thread(work)\n')).toThrow('no rule for: anyio.to_thread(work)');
});
