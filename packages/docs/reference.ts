import { contract, operations, type Tag, tagSlug } from './contract.js';
import { html, type Html } from './html.js';
import { codeBlock } from './highlight.js';
import { methodBadge } from './layout.js';
import { prose } from './markdown.js';
import { operationArticle } from './operation.js';
import { reference } from './pages.js';
import { localServer } from './samples.js';

/** Returns the first page of the reference: what holds for all operations, and the operations by tag. */
export function referencePage(): Html {
  return html`<section class="row intro">
      <div class="text">
        <h1>${reference.title}</h1>
        ${prose(contract.info.description, '../')}
      </div>
      <div class="code-column">
        ${codeBlock(localServer, 'text', 'Base address')} ${codeBlock('X-Service-Key: sk_…', 'http', 'Authentication')}
        <p class="hint">The consoles ask for the key. It stays in this tab.</p>
        ${problemExample()}
      </div>
    </section>
    ${contract.tags.map((tag) => html`<section class="tag">${tagHead(tag, html`<h2><a href="./${tagSlug(tag.name)}/">${tag.name}</a></h2>`, `./${tagSlug(tag.name)}/`)}</section>`)}`;
}

/** Returns the page of a tag: its operations in the order of the contract, descriptions on the left, code on the right. */
export function tagPage(tag: Tag): Html {
  return html`<section class="tag">
    ${tagHead(tag, html`<h1>${tag.name}</h1>`, '')} ${membersOf(tag).map(operationArticle)}
  </section>`;
}

function membersOf({ name }: Tag) {
  return operations.filter((it) => it.tag === name);
}

/** `page` is the address of the tag's page, relative to the page that contains the head. */
function tagHead(tag: Tag, heading: Html, page: string): Html {
  return html`<div class="row tag-head">
    <div class="text">
      ${heading}
      <p>${tag.description}</p>
    </div>
    <div class="code-column">
      <figure class="code endpoints">
        <figcaption>Endpoints</figcaption>
        <ul class="list">
          ${membersOf(tag).map(
            ({ id, method, path }) =>
              html`<li>
                <a href="${page}#${id}">${methodBadge(method)}<span>${path ?? id}</span></a>
              </li>`,
          )}
        </ul>
      </figure>
    </div>
  </div>`;
}

/** Returns one complete problem as an example. Operations list their problems by code. */
function problemExample(): Html {
  const refused = operations.flatMap(({ answers }) => answers).find(({ status }) => status === '422');
  return codeBlock(JSON.stringify(refused?.body?.examples[0]?.value, null, 2), 'json', 'A problem');
}
