import { type Answer, readName, type Operation, type Parameter, resolve } from './contract.js';
import { type Field, fieldList, listFields } from './fields.js';
import { codeBlock, toCode } from './highlight.js';
import { type Html, html } from './html.js';
import { inline, prose, rootOfTag } from './markdown.js';
import { methodBadge } from './layout.js';
import { sampleRequest } from './sample-request.js';
import { createSamples } from './samples.js';
import { tryDialog } from './try-dialog.js';

/** Returns the section of one operation, or of one event that the service sends. */
export function operationArticle(operation: Operation): Html {
  const { id, method, path, summary, description, scope } = operation;
  return html`<article class="row operation" id="${id}">
    <div class="text">
      <h2>${summary}<a class="anchor" href="#${id}" aria-label="Link to ${summary}">#</a></h2>
      <p class="line endpoint">${methodBadge(method)}<code>${path ?? 'your address'}</code></p>
      ${prose(description)}
      ${
        scope !== undefined &&
        html`<p>Requires a key with the <a href="${rootOfTag}keys/#scopes">scope</a> <code>${scope}</code>.</p>`
      }
      ${parameters(operation)} ${requestBody(operation)} ${answers(operation)}
    </div>
    <div class="code-column">
      <div class="sticky">
        ${path === undefined ? eventCode(operation) : requestCode(operation)} ${answerExample(operation)}
      </div>
    </div>
    ${path !== undefined && tryDialog(operation)}
  </article>`;
}

function parameters({ id, parameters: all }: Operation): Html[] {
  const titles = { path: 'Path', query: 'Query', header: 'Headers' };
  return (['path', 'query', 'header'] as const).map((place) => {
    const fields = all.filter((it) => it.in === place).map(toField);
    return html`${
      fields.length > 0 &&
      html`<h3>${titles[place]}</h3>
        ${fieldList(fields, `${id}-${place}`, 'asked')}`
    }`;
  });
}

function toField({ name, schema, required = false, description }: Parameter): Field {
  return { name, schema: resolve(schema), isRequired: required, description };
}

function requestBody({ id, path, request, requestDescription }: Operation): Html | undefined {
  if (!request) return undefined;
  return html`<h3>Body</h3>
    <p>${inline(requestDescription ?? '')}</p>
    ${note(resolve(request.schema).description)}
    ${fieldList(listFields(request.schema), `${id}-body`, path === undefined ? 'answered' : 'asked')}`;
}

function note(description: string | undefined): Html | undefined {
  return description === undefined ? undefined : html`<div class="note">${prose(description)}</div>`;
}

function answers({ id, answers: all }: Operation): Html {
  return html`<h3>Answers</h3>
    <div class="answers">${all.map((it) => answerEntry(it, `${id}-${it.status}`))}</div>`;
}

function answerEntry(answer: Answer, id: string): Html {
  const { status, description } = answer;
  const isGood = status.startsWith('2');
  return html`<details id="${id}">
    <summary>
      <span class="status ${!isGood && 'fault'}">${status}</span
      ><span class="cut hint">${inline(description.trim())}</span>
    </summary>
    ${isGood ? goodAnswer(answer, id) : problemAnswer(answer)}
  </details>`;
}

function goodAnswer({ headers, body }: Answer, id: string): Html {
  const entries = headers.map(
    (it) =>
      html`<dt><span class="name">${it.name}</span></dt>
        <dd><p>${inline(it.description.trim())}</p></dd>`,
  );
  return html`${
    body &&
    html`<h4 class="hint">Body · ${readName(body.schema)}</h4>
      ${fieldList(listFields(body.schema), id, 'answered')}`
  }
  ${
    headers.length > 0 &&
    html`<h4 class="hint">Headers</h4>
      <dl class="fields">${entries}</dl>`
  }`;
}

/** Returns the error codes of a response. The guide on errors lists the cause and the fix of each code. */
function problemAnswer({ headers, body }: Answer): Html {
  const problems = (body?.examples ?? []).map(({ summary, value }) => ({ summary, ...(value as { code?: string }) }));
  return html`<ul class="problems hint">
      ${problems.map(
        ({ summary, code }) =>
          html`<li>
            <a href="${rootOfTag}errors/#${code}"><code>${code}</code></a> ${summary}
          </li>`,
      )}
    </ul>
    ${headers.length > 0 && html`<p class="values hint">Headers ${headers.map(({ name }) => html`<code>${name}</code> `)}</p>`}`;
}

/** Returns the samples with one tab per language. If scripts are disabled, all samples are shown. */
function requestCode(operation: Operation): Html {
  const samples = createSamples(sampleRequest(operation));
  const { id, summary } = operation;
  return html`<figure class="code tabbed" data-tabs="language">
    <figcaption>
      <span class="tabs" role="tablist" aria-label="Language of the sample: ${summary}">
        ${samples.map(
          ({ language }, index) =>
            html`<button
              type="button"
              role="tab"
              id="${id}-tab-${index}"
              aria-controls="${id}-panel-${index}"
              data-tab="${language}"
              aria-selected="${String(index === 0)}"
              ${index > 0 && html`tabindex="-1"`}
            >
              ${language}
            </button>`,
        )}
      </span>
      <button type="button" class="copy" data-copy>Copy</button>
    </figcaption>
    ${samples.map(
      ({ language, highlight, code }, index) =>
        html`<div
          role="tabpanel"
          id="${id}-panel-${index}"
          aria-labelledby="${id}-tab-${index}"
          ${index > 0 && html`data-later`}
        >
          ${toCode(code, highlight, `${language}: ${summary}`)}
        </div>`,
    )}
    <div class="actions"><button type="button" class="primary" data-try="${id}">Try it</button></div>
  </figure>`;
}

function eventCode({ parameters: headers, request }: Operation): Html {
  const lines = headers.filter((it) => it.in === 'header').map(({ name, example }) => `${name}: ${String(example)}`);
  const body = JSON.stringify(request?.examples[0]?.value, null, 2);
  return codeBlock(
    `POST /hooks/state HTTP/1.1\nContent-Type: application/json\n${lines.join('\n')}\n\n${body}`,
    'http',
    'What arrives',
  );
}

function answerExample({ answers: all }: Operation): Html | undefined {
  const good = all.filter(({ status, body }) => status.startsWith('2') && body);
  const blocks = good.flatMap(({ status, body }) =>
    (body?.examples ?? []).map(({ value, summary }) => codeBlock(json(value), 'json', `${status} · ${summary}`)),
  );
  return html`${blocks}`;
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
