import { expect, test } from 'vitest';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import { operations } from '../contract.js';
import { siteFiles } from './site.js';

const site = await siteFiles();
const pages = [...site].filter(([path]) => path.endsWith('index.html'));
const attributes = (text: string, name: string) =>
  [...text.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value = '']) => value.replaceAll('&amp;', '&'));

test('every link within the site leads to an existing file and anchor', () => {
  const dead = pages.flatMap(([path, text]) =>
    [...attributes(text, 'href'), ...attributes(text, 'src')]
      .map((href) => ({ href, target: new URL(href, `http://site/${path}`) }))
      .filter(({ target }) => target.host === 'site' && !leadsSomewhere(target))
      .map(({ href }) => `${path}: ${href}`),
  );
  expect(pages.length).toBeGreaterThan(9);
  expect(dead).toEqual([]);
});

test('every link in the plain-text pages leads to an existing file and anchor', () => {
  const texts = [...site].filter(([path]) => /\.(md|txt)$/.test(path));
  const dead = texts.flatMap(([path, text]) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)]
      .map(([, href = '']) => ({ href, target: new URL(href, `http://site/${path}`) }))
      .filter(({ target }) => target.host === 'site' && !site.has(filePath(target)))
      .map(({ href }) => `${path}: ${href}`),
  );
  expect(texts.length).toBeGreaterThan(9);
  expect(dead).toEqual([]);
});

function filePath({ pathname }: URL): string {
  const path = pathname.slice(1);
  return path.endsWith('/') || path === '' ? `${path}index.html` : path;
}

function leadsSomewhere(target: URL): boolean {
  const { hash } = target;
  const text = site.get(filePath(target));
  return text !== undefined && (hash === '' || text.includes(` id="${decodeURIComponent(hash.slice(1))}"`));
}

test('ids are unique per page', () => {
  const twice = pages.flatMap(([path, text]) => {
    const ids = attributes(text, 'id');
    return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${path}: ${id}`);
  });
  expect(twice).toEqual([]);
});

test('pages contain no inline scripts, styles or handlers: the content security policy would block them', () => {
  const inline = pages.flatMap(([path, text]) =>
    (text.match(/<script(?![^>]* src=)[^>]*>|<style| style="| on\w+="/g) ?? []).map((it) => `${path}: ${it}`),
  );
  expect(inline).toEqual([]);
});

test('the reference contains every operation, parameter, request field and status', () => {
  const ofReference = pages.filter(([path]) => path.startsWith('reference/'));
  const ids = ofReference.flatMap(([, text]) => attributes(text, 'id'));
  expect(ofReference).toHaveLength(1 + contract.tags.length);
  const wanted = operations.flatMap(({ id, parameters, answers }) => [
    id,
    ...parameters.map((it) => `${id}-${it.in}-${it.name}`),
    ...answers.map(({ status }) => `${id}-${status}`),
  ]);
  const fields = Object.keys(contract.components.schemas.SignalSubmission.properties);
  expect(wanted.length).toBeGreaterThan(100);
  expect([...wanted, ...fields.map((it) => `ingest-body-${it}`)].filter((it) => !ids.includes(it))).toEqual([]);
});

test('a page that a description names is a link', () => {
  const text = site.get('reference/signals/index.html') ?? '';
  expect(text).toContain('<a href="../../batches/"><code>/docs/batches</code></a>');
});

test('the published contract is identical to openapi.yaml', () => {
  expect(JSON.parse(site.get('openapi.json') ?? '')).toEqual(contract);
  expect(site.get('openapi.yaml')).toContain('openapi: 3.0.3');
});

test('llms.txt describes the service and links to plain-text pages', () => {
  const text = site.get('llms.txt') ?? '';
  expect(text).toMatch(/^# .+\n\n> .+\n/);
  const targets = [...text.matchAll(/^- \[.+?\]\((.+?)\)/gm)].map(([, it = '']) => new URL(it, 'http://site/'));
  expect(targets.length).toBeGreaterThan(20);
  expect(targets.filter((it) => !leadsSomewhere(it)).map(String)).toEqual([]);
});

test('every error code has an anchor on the errors page, with its cause and fix', () => {
  const text = site.get('errors/index.html') ?? '';
  const ids = attributes(text, 'id');
  const codes = contract.components.schemas.ProblemCode.enum;
  expect(codes.filter((it) => !ids.includes(it))).toEqual([]);
  for (const code of codes) {
    const section = text.slice(text.indexOf(` id="${code}"`));
    expect(section).toMatch(/^[^]*?<\/h3>\s*<p>\d{3}: .+<\/p>\s*<p>.+<\/p>/);
  }
});

test("the last segment of an error's type is the anchor of its code", () => {
  const ids = attributes(site.get('errors/index.html') ?? '', 'id');
  const { examples } = contract.components.responses.Unauthorized.content['application/problem+json'];
  const types = Object.values(examples).map(({ value }) => value.type);
  expect(types.length).toBeGreaterThan(1);
  expect(ids).toEqual(expect.arrayContaining(types.map((it) => it.split(':').at(-1))));
});

test('the reference is also one Markdown file, and llms-full.txt contains it and every guide', () => {
  const reference = site.get('reference.md') ?? '';
  const full = site.get('llms-full.txt') ?? '';
  expect(operations.filter(({ summary }) => !reference.includes(`### ${summary}\n`))).toEqual([]);
  for (const field of Object.keys(contract.components.schemas.SignalSubmission.properties))
    expect(reference).toContain(`- \`${field}\` (`);
  for (const title of ['API reference', 'Getting started', 'Webhooks', 'Errors', 'Configuration', 'Operations'])
    expect(full).toMatch(new RegExp(`^# ${title}$`, 'm'));
});

test('every JSON block of a guide is valid JSON', () => {
  const guides = [...site].filter(([path]) => path.endsWith('.md'));
  const blocks = guides.flatMap(([, text]) =>
    [...text.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, json = '']) => json),
  );
  expect(blocks.length).toBeGreaterThan(10);
  for (const block of blocks) expect(() => JSON.parse(block) as unknown).not.toThrow();
});

test('no page contains a comment that marks a figure', () => {
  const guides = [...site].filter(([path]) => path.endsWith('.md'));
  expect(guides.filter(([, text]) => text.includes('<!--=')).map(([path]) => path)).toEqual([]);
});
