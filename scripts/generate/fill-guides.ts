/**
 * Writes the constants of the contract, the settings of the service and the responses of a running service into the README
 * and the guides, at the places that comments mark, and the responses into the examples of the contract. With --check,
 * writes nothing and fails if a file is not up to date.
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { Document, parse, visit } from 'yaml';
import { type Examples, runExamples } from './examples.js';
import { type Figures, figures } from './figures.js';
import { fill } from './fill.js';
import { checkModelVersion, scoreConstants } from './model-version.js';
import { markdownPages } from '../../packages/docs/pages.js';

const root = new URL('../../', import.meta.url);
const isCheck = process.argv.includes('--check');
/** Length of the JSON text up to which a list or an object takes one line of the contract. */
const lineMax = 100;

const outdated = checkModelVersion(scoreConstants);
if (outdated) {
  console.error(outdated);
  process.exit(1);
}
const examples = await runExamples();

const figuresAndResponses: Figures = (name, old) => {
  const [, response] = /^response (\w+)$/.exec(name) ?? [];
  if (response === undefined) return figures(name, old);
  const text = examples.guides[response];
  if (text === undefined) throw new Error(`scripts/generate/examples.ts has no response ${response}`);
  return `\n${text}\n`;
};

for (const source of new Set(['README.md', ...markdownPages.map((it) => it.source)]))
  await update(source, (text) => fill(text, figuresAndResponses));
const isContractChanged = await update('openapi.yaml', (text) => fillExamples(text, examples.contract));
// The examples are part of generated/, too.
if (isContractChanged && !isCheck)
  execFileSync(process.execPath, ['--import', 'tsx', 'scripts/generate/generate.ts'], { cwd: root, stdio: 'inherit' });

/** Writes a file if its text changes. Returns true if it does. */
async function update(source: string, change: (text: string) => string): Promise<boolean> {
  const file = new URL(source, root);
  const text = await readFile(file, 'utf8');
  const changed = change(text);
  if (changed === text) return false;
  if (isCheck) {
    console.error(`${source} is not up to date: run \`npm run generate\` and commit the result`);
    process.exitCode = 1;
  } else await writeFile(file, changed);
  return true;
}

/** Replaces `components/examples`. Does not parse the rest of the contract, so that its comments and layout stay. */
function fillExamples(contract: string, examples: Examples['contract']): string {
  return contract.replace(/^  examples:\n(?: {4}.*\n)+/m, (old) => {
    const isSame = JSON.stringify(parse(old)) === JSON.stringify({ examples });
    return isSame ? old : toYaml({ examples }).replace(/^(?=.)/gm, '  ');
  });
}

function toYaml(value: object): string {
  // With version 1.1, timestamps are quoted: some parsers would read them as dates.
  const document = new Document(value, { aliasDuplicateObjects: false, schema: 'yaml-1.1' });
  visit(document, {
    Collection: (_, node) => void (node.flow = JSON.stringify(node).length <= lineMax),
  });
  // One line per text, so that a blank line ends the examples.
  return document.toString({
    lineWidth: 0,
    blockQuote: false,
    singleQuote: false,
    doubleQuotedMinMultiLineLength: Infinity,
  });
}
