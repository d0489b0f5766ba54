import type { Body, Operation, Parameter } from './contract.js';
import { type Html, html } from './html.js';
import { icon, methodBadge } from './layout.js';
import { bodyText } from './sample-request.js';

/**
 * Returns the console of an operation as a form. The page's script opens the form, sends the request and shows the
 * response.
 */
export function tryDialog({ id, method, path = '', summary, parameters, needsKey, request }: Operation): Html {
  return html`<dialog
    id="try-${id}"
    class="try"
    aria-labelledby="try-${id}-title"
    data-method="${method}"
    data-path="${path}"
  >
    <form class="console" novalidate>
      <header class="line between">
        <div>
          <h2 id="try-${id}-title">${summary}</h2>
          <p class="line endpoint">
            ${methodBadge(method)}<code><span data-server-name></span><wbr />${path}</code>
          </p>
        </div>
        <button type="button" class="icon-button" data-close aria-label="Close">${icon('M6 6l12 12M18 6L6 18')}</button>
      </header>
      <div class="panes">
        <div class="pane">
          ${needsKey && keyInput(id)} ${parameters.map((it) => parameterInput(it, id))}
          ${request && bodyInput(request, id)}
          <div class="send"><button type="submit" class="primary">Send ${method}</button></div>
        </div>
        <div class="pane result">
          <div class="outcome" data-outcome aria-live="polite"><p class="hint">The response appears here.</p></div>
          <figure class="code answer" hidden data-answer>
            <figcaption>Response<button type="button" class="copy" data-copy>Copy</button></figcaption>
            <pre tabindex="0" role="group" aria-label="Response"><code></code></pre>
          </figure>
          <figure class="code">
            <figcaption>curl<button type="button" class="copy" data-copy>Copy</button></figcaption>
            <pre tabindex="0" role="group" aria-label="The same with curl"><code data-curl></code></pre>
          </figure>
        </div>
      </div>
    </form>
  </dialog>`;
}

function keyInput(id: string): Html {
  return html`<p class="field">
    <label for="try-${id}-key">X-Service-Key</label>
    <input
      id="try-${id}-key"
      type="password"
      data-key
      autocomplete="off"
      spellcheck="false"
      placeholder="sk_…"
      aria-describedby="try-${id}-key-hint try-${id}-key-invalid"
    />
    <small id="try-${id}-key-hint">Stored in this tab only, and sent to this service only.</small>
    <small id="try-${id}-key-invalid" class="fault" role="alert" data-invalid hidden></small>
  </p>`;
}

function parameterInput({ name, in: place, required = false, example }: Parameter, operation: string): Html {
  const id = `try-${operation}-${name}`;
  const value = required ? String(example) : '';
  return html`<p class="field">
    <label for="${id}">${name}${!required && html` <span class="hint">optional</span>`}</label>
    <input
      id="${id}"
      type="text"
      data-parameter="${name}"
      data-in="${place}"
      value="${value}"
      placeholder="${String(example)}"
      autocomplete="off"
      spellcheck="false"
    />
  </p>`;
}

function bodyInput({ examples, mediaType }: Body, operation: string): Html {
  const id = `try-${operation}-body`;
  const texts = examples.map(({ value }) => bodyText(value));
  const lines = (texts[0] ?? '').split('\n').length;
  return html`${
      examples.length > 1 &&
      html`<p class="field">
        <label for="${id}-example">Example</label>
        <select id="${id}-example" data-example>
          ${examples.map(({ summary }, index) => html`<option value="${texts[index]}">${summary}</option>`)}
        </select>
      </p>`
    }
    <p class="field">
      <label for="${id}">Body</label>
      <textarea
        id="${id}"
        data-body
        data-media-type="${mediaType}"
        rows="${Math.max(lines + 1, 6)}"
        spellcheck="false"
        autocapitalize="off"
        aria-describedby="${id}-invalid"
      >
${texts[0]}</textarea>
      <small data-body-hint hidden>The timestamp is set to the current time: the service refuses old readings.</small>
      <small id="${id}-invalid" class="fault" role="alert" data-invalid hidden></small>
    </p>`;
}
