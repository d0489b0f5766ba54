import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { type Html, escape, html, raw } from './html.js';

const languages = { bash, go, http, json, php, python, typescript, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const titles: Record<string, string> = {
  bash: 'Shell',
  go: 'Go',
  http: 'HTTP',
  json: 'JSON',
  php: 'PHP',
  python: 'Python',
  typescript: 'TypeScript',
};
const aliases: Record<string, string> = { sh: 'bash', ts: 'typescript' };

/** Returns a block of code with syntax colors and a copy button. */
export function codeBlock(code: string, language: string, title?: string): Html {
  const name = aliases[language] ?? language;
  const label = title ?? titles[name] ?? 'Text';
  return html`<figure class="code">
    <figcaption>${label}<button type="button" class="copy" data-copy>Copy</button></figcaption>
    ${toCode(code, name, label)}
  </figure>`;
}

/** Returns a code element. It is focusable, so that wide code can be scrolled with the keyboard. */
export function toCode(code: string, language: string, label: string): Html {
  return html`<pre tabindex="0" role="group" aria-label="${label}"><code>${raw(coloured(code, language))}</code></pre>`;
}

function coloured(code: string, language: string): string {
  const [, command = '', sent] = /^([^]*<<JSON\n)([^]+)$/.exec(code) ?? [];
  if (sent !== undefined) return coloured(command, language) + coloured(sent, 'json');
  return hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : escape(code);
}
