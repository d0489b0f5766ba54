import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { enums, operationScopes, scopes, signals } from '../../generated/spec.js';
import { figures } from './figures.js';
import { fill } from './fill.js';
import { requestRows } from './accountability.js';
import { tableUses } from './data-map.js';
import { listAllSettings } from '../../src/config/settings.js';
import { operations as records } from '../../src/operations/index.js';
import { operations } from '../../packages/docs/contract.js';
import { guides } from '../../packages/docs/pages.js';

const folder = new URL('../../docs/accountability/', import.meta.url);
const names = await readdir(folder);
const texts = new Map(await Promise.all(names.map(async (it) => [it, await read(it)] as const)));
const templates = ['impact-assessment.md', 'notice.md', 'deployer-guidance.md'];

function read(name: string): Promise<string> {
  return readFile(new URL(name, folder), 'utf8');
}

/** Returns the first cells of the tables of a document. */
function firstCells(name: string): string[] {
  return [...(texts.get(name) ?? '').matchAll(/^\| ([^|]+) \|/gm)].map(([, cell = '']) => cell);
}

const code = (name: string) => `\`${name}\``;

test('the documents for lawyers have the tables and figures of the contract and the configuration', () => {
  expect(names.length).toBeGreaterThan(4);
  for (const [name, text] of texts) expect(fill(text, figures), `${name}: run npm run generate`).toBe(text);
});

test('every document for lawyers is introduced by the overview and is a page of the site', async () => {
  const overview = await read('../accountability.md');
  for (const name of names) {
    expect(overview).toContain(`](accountability/${name})`);
    expect(guides.map(({ source }) => source)).toContain(`docs/accountability/${name}`);
  }
});

test('the impact assessment contains every signal, retention variable and table with data of people', () => {
  const text = texts.get('impact-assessment.md') ?? '';
  const cells = firstCells('impact-assessment.md');
  expect(Object.keys(signals).filter((name) => !text.includes(code(name)))).toEqual([]);
  const variables = listAllSettings().flatMap(({ name }) => (name.startsWith('RETENTION_') ? [name] : []));
  const tables = Object.entries(tableUses).flatMap(([name, it]) => (it.identifies === 'nobody' ? [] : [name]));
  expect(variables.length).toBeGreaterThan(5);
  expect(tables.length).toBeGreaterThan(12);
  for (const it of [...variables, ...tables, ...enums.ConsentCategory]) expect(cells).toContain(code(it));
});

test('the impact assessment names every scope whose operations return data of people', () => {
  const returning = Object.entries(records).flatMap(([id, { personalData }]) =>
    ['reads', 'exports'].includes(personalData) ? [(operationScopes as Record<string, string>)[id] ?? ''] : [],
  );
  expect(Object.keys(scopes)).toEqual(expect.arrayContaining(returning));
  for (const scope of new Set(returning)) expect(firstCells('impact-assessment.md')).toContain(code(scope));
});

test('the operations that answer requests of people are those that return or erase the data of one person', () => {
  const named = operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'subject_id'));
  const wanted = named.filter(({ id }) => {
    const { personalData } = records[id as keyof typeof records];
    return personalData !== 'none';
  });
  expect(requestRows().map(([, operation]) => operation)).toEqual(
    wanted.map(({ method, path }) => code(`${method} ${path}`)),
  );
  expect(wanted.length).toBeGreaterThan(8);
});

test('the notice has a row per category of consent, and no technical name', () => {
  const cells = firstCells('notice.md');
  const measured = cells.slice(cells.indexOf('What is measured') + 1, cells.indexOf('What is stored'));
  expect(measured).toHaveLength(enums.ConsentCategory.length);
  const long = (texts.get('notice.md') ?? '').split('## Short text')[1] ?? '';
  expect(long.replace(/<!--.*?-->/g, '').replace(/\*\*\[Fill in[^\]]*\]\*\*/g, '')).not.toMatch(/`|_[a-z]|RETENTION/);
});

test('the templates mark what the deployer must write with one mark, which no other document has', () => {
  for (const [name, text] of texts) {
    const marks = text.match(/\[Fill in[^\]]*\]/g) ?? [];
    expect(marks.length > 10, name).toBe(templates.includes(name));
    expect(text.match(/\*\*\[Fill in(: [^\]]+)?\]\*\*/g)?.length ?? 0, name).toBe(marks.length);
    expect(text, name).not.toMatch(/TODO|TBD|XXX|\?\?\?/);
  }
});
