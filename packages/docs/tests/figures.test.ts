import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { root } from '../../../testkit/service.js';

const guides = (await readdir(new URL('docs/', root))).filter((it) => it.endsWith('.md'));
const files = ['README.md', ...guides.map((it) => `docs/${it}`)];

/** First columns of tables with numbers that nobody measured, with what the numbers are. */
const notMeasured: Readonly<Record<string, string>> = {
  Package: 'versions',
  Client: 'versions',
  Machine: 'addresses',
  Status: 'codes of HTTP',
  Tier: 'settings of the contract',
  topic: 'rows of an example',
};

/** A number with a decimal, a percentage, thousands or a unit. */
const figure = /\d\.\d|\d ?%|\d,\d{3}|\d ?(ms|µs|MB|MiB|KiB)\b/;
/** A command that prints figures, a figure of which nobody has the command, or the page that has the command. */
const source =
  /npm run [\w:]+|state-service tools (evaluate|benchmark)|`evaluate [^`]*`|`--only [^`]*`|[Mm]easured once|\(\S*evaluation\.md(#\w+)?\) has (the command|all figures and commands)/;

interface Table {
  readonly place: string;
  readonly first: string;
  /** The text of the section that contains the table. */
  readonly section: string;
}

/** Returns the tables of which at least half of the rows have a figure that is not filled in from the contract. */
function findTables(file: string, text: string): Table[] {
  const sections = text.split(/^(?=#)/m);
  return sections.flatMap((section) =>
    [...section.matchAll(/^\|([^|\n]*)\|[^\n]*\n\|[ :|-]+\|\n((?:\|[^\n]*\n?)*)/gm)].flatMap(
      ([, first = '', body = '']) => {
        const rows = body.trim().split('\n');
        const plain = rows.map((row) => row.replaceAll(/`[^`]*`|<!--=[^>]*-->[^<]*<!--\/-->/g, ''));
        if (plain.filter((row) => figure.test(row)).length * 2 < rows.length) return [];
        return [{ place: `${file}: ${section.split('\n')[0]}`, first: first.trim(), section }];
      },
    ),
  );
}

const tables = (
  await Promise.all(files.map(async (it) => findTables(it, await readFile(new URL(it, root), 'utf8'))))
).flat();
const measured = tables.filter(({ first }) => notMeasured[first] === undefined);

test('every table of figures names the command that prints them, or says that they were measured once', () => {
  const nameless = measured.filter(({ section }) => !source.test(section));
  expect(nameless.map(({ place, first }) => `${place}, ${first}`)).toEqual([]);
  expect(measured.length).toBeGreaterThan(15);
});

test('every reason why a table has no command is in use', () => {
  const unused = Object.keys(notMeasured).filter((it) => !tables.some(({ first }) => first === it));
  expect(unused).toEqual([]);
});

test('every command of the lab that a guide names exists', async () => {
  const texts = await Promise.all(files.map((it) => readFile(new URL(it, root), 'utf8')));
  const named = texts.flatMap((it) => [...it.matchAll(/npm run lab -- (bench|check|evaluate) ([a-z-]+)/g)]);
  const absent = named.filter(([, kind, name]) => {
    const paths = kind === 'bench' ? [`bench/loads/${name}.ts`, `bench/${name}.ts`] : [`${kind}/${name}.ts`];
    return !paths.some((it) => existsSync(new URL(`lab/${it}`, root)));
  });
  expect(absent.map(([text]) => text)).toEqual([]);
  expect(named.length).toBeGreaterThan(15);
});

test('the README states what was known about its figures, with the figure of the evaluation', async () => {
  const [readme, evaluation] = await Promise.all(
    ['README.md', 'docs/evaluation.md'].map((it) => readFile(new URL(it, root), 'utf8')),
  );
  const [, auc] = /^\| `reports`: .*\| (0\.\d+) \(/m.exec(evaluation ?? '') ?? [];
  expect(auc).toBeDefined();
  expect(readme).toContain(
    `The constants were chosen knowing these people. Against nurses' own reports, wrist heart rate reaches AUC ${auc}.`,
  );
  expect(evaluation).toContain('Its constants were chosen with knowledge of the people');
});
