import { bands } from '../../generated/spec.js';
import { contract, operations, tagSlug } from './contract.js';
import { codeBlock } from './highlight.js';
import { type Html, html, raw } from './html.js';
import { gettingStarted, groups, reference } from './pages.js';
import { sampleRequest } from './sample-request.js';
import { createSamples } from './samples.js';

/** Returns the home page: what the service does, one request with its response, and links. */
export function homePage(): Html {
  const ingest = operations[0];
  if (!ingest) throw new Error('the contract has no operations');
  const [sample] = createSamples(sampleRequest(ingest));
  const answer = ingest.answers[0]?.body?.examples[0]?.value as Record<string, unknown>;
  const shown = ['state', 'stress_score', 'confidence', 'suggested_action', 'action_reason', 'recommendation'];
  return html`<section class="hero">
      <h1>The stress state of a person,<br />in real time.</h1>
      <p>
        Send what your app or agent senses of a person: heart rate, tone of voice, expression, sentiment. The same
        request answers how stressed that person is, why, and what an assistant should do about it.
      </p>
      <p class="line">
        <a class="primary" href="./${gettingStarted.slug}/">Get started</a
        ><a class="secondary" href="./${reference.slug}/">${reference.title}</a>
      </p>
      ${scale()}
    </section>
    <section class="pair" aria-label="A request and its answer">
      ${codeBlock(sample?.code ?? '', 'bash', 'Request')}
      ${codeBlock(JSON.stringify(Object.fromEntries(shown.map((name) => [name, answer[name]])), null, 2), 'json', 'Answer, shortened')}
    </section>
    ${groups.map(
      (group) =>
        html`<section>
          <h2>${group.title}</h2>
          <ul class="cards">
            ${group.guides.map(
              ({ slug, title, summary }) =>
                html`<li>
                  <a class="card hint" href="./${slug}/"><strong>${title}</strong>${summary}</a>
                </li>`,
            )}
          </ul>
        </section>`,
    )}
    <section>
      <h2>Reference</h2>
      <ul class="cards">
        ${contract.tags.map(
          ({ name, description }) =>
            html`<li>
              <a class="card hint" href="./${reference.slug}/${tagSlug(name)}/"
                ><strong>${name}</strong>${description}</a
              >
            </li>`,
        )}
      </ul>
    </section>`;
}

/** Returns the bands of the score, from calm to acute stress. */
function scale(): Html {
  return html`<ol class="scale hint" aria-label="The five states">
    ${bands.map(({ state, min_score: min, max_score: max }) => html`<li class="${state}"><strong>${state.split('_').map((it, index) => html`${index > 0 && raw('_<wbr>')}${it}`)}</strong>${min}–${max}</li>`)}
  </ol>`;
}
