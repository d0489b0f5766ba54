import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openRows } from '../csv-rows.js';

/** Yields the bytes in pieces of one size. */
function cut(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return {
    async *[Symbol.asyncIterator]() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
}

async function readAll(text: string, size = 4096): Promise<{ cells: (readonly string[])[]; broken: number }> {
  let broken = 0;
  const { rows } = await openRows(cut(text, size), () => (broken += 1));
  const cells: (readonly string[])[] = [];
  for await (const { record } of rows) cells.push(record);
  return { cells, broken };
}

const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`;
const isPlain = (cell: string) => !/["\n\r,]/.test(cell) && cell === cell.trim();

test('rows are those of csv-parse, in pieces of any size', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '7', ' ', ',', '"', '\n', ';', 'é'), maxLength: 6 });
  const row = fc.array(fc.tuple(cell, fc.boolean()), { minLength: 2, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 9 }),
      async (rows, ending, size) => {
        const encode = ([text, isQuoted]: [string, boolean]) => (isQuoted || !isPlain(text) ? quote(text) : text);
        const csv = `a,b,c\n${rows.map((it) => it.map(encode).join(',')).join(ending)}${ending}`;
        const expected = parse(csv, { delimiter: ',', trim: true, relax_column_count: true, skip_empty_lines: true });
        expect(await readAll(csv, size)).toEqual({ cells: expected, broken: 0 });
      },
    ),
  );
});

test.each([
  [
    'a mark within a cell',
    'a,b\n1,5" band\n2,x\n',
    [
      ['a', 'b'],
      ['2', 'x'],
    ],
  ],
  [
    'text after a cell in marks',
    'a,b\n1,"x"y\n2,x\n',
    [
      ['a', 'b'],
      ['2', 'x'],
    ],
  ],
])('a row with %s is counted, and the next row is read', async (_, csv, cells) => {
  expect(await readAll(csv)).toEqual({ cells, broken: 1 });
});

test('rows that end with a carriage return alone are read', async () => {
  expect((await readAll('a,b\r1,2\r', 3)).cells).toEqual([
    ['a', 'b'],
    ['1', '2'],
  ]);
});
