import { contract, operations, type Tag } from './contract.js';
import { html, type Html } from './html.js';
import { codeBlock } from './highlight.js';
import { methodBadge } from './layout.js';
import { prose } from './markdown.js';
import { operationArticle } from './operation.js';
import { reference } from './pages.js';
import { localServer } from './samples.js';

/**
 * Returns the reference: the operations in the order of the contract, with descriptions on the left and code on the
 * right.
 */
export function referencePage(): Html {
  return html`<section class="row intro">
      <div class="text">
        <h1>${reference.title}</h1>
        ${prose(contract.info.description)}
      </div>
      <div class="code-column">
        ${codeBlock(localServer, 'text', 'Base address')} ${codeBlock('X-Service-Key: sk_…', 'http', 'Authentication')}
        <p class="hint">The key is asked for by the consoles below and stays in this tab.</p>
        ${problemExample()}
      </div>
    </section>
    ${contract.tags.map(tagSection)}`;
}

function tagSection({ name, description }: Tag): Html {
  const members = operations.filter((it) => it.tag === name);
  return html`<section class="tag" aria-labelledby="tag-${toSlug(name)}">
    <div class="row tag-head">
      <div class="text">
        <h2 id="tag-${toSlug(name)}">${name}</h2>
        <p>${description}</p>
      </div>
      <div class="code-column">
        <figure class="code endpoints">
          <figcaption>Endpoints</figcaption>
          <ul>
            ${members.map(
              ({ id, method, path }) =>
                html`<li>
                  <a href="#${id}">${methodBadge(method)}<span>${path ?? id}</span></a>
                </li>`,
            )}
          </ul>
        </figure>
      </div>
    </div>
    ${members.map(operationArticle)}
  </section>`;
}

/** Returns one complete problem as an example. Operations list their problems by code. */
function problemExample(): Html {
  const refused = operations.flatMap(({ answers }) => answers).find(({ status }) => status === '422');
  return codeBlock(JSON.stringify(refused?.body?.examples[0]?.value, null, 2), 'json', 'A problem');
}

function toSlug(name: string): string {
  return name.toLowerCase().replaceAll(' ', '-');
}
