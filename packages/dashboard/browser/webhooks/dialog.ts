import { ProblemError } from '../../../client/src/index.js';
import { h, setText } from '../dom.js';
import { reasonOf } from '../service.js';

export interface Dialog {
  /** Replaces the title and the content, and moves the focus to the first control of the content. */
  show(title: string, ...content: readonly HTMLElement[]): void;
  close(): void;
}

/**
 * Opens a modal dialog within the host. Closing it returns the focus to the button that opened it, or to the heading of
 * the page if this button is gone.
 */
export function openDialog(host: HTMLElement): Dialog {
  const title = h('h2', { id: 'dialog-title' });
  const body = h('div', {});
  const dialog = h('dialog', { class: 'dialog', 'aria-labelledby': 'dialog-title' }, title, body);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (document.activeElement === document.body) host.querySelector('h1')?.focus();
  });
  // A click on the backdrop or Escape must not close the only view of a secret.
  dialog.addEventListener('cancel', (event) => {
    if (body.querySelector('[data-keep-open]')) event.preventDefault();
  });
  host.append(dialog);
  return {
    show(text, ...content) {
      setText(title, text);
      body.replaceChildren(...content);
      if (!dialog.open) dialog.showModal();
      body.querySelector<HTMLElement>('input, button')?.focus();
    },
    close: () => dialog.close(),
  };
}

export interface Field {
  readonly element: HTMLElement;
  /** Shows an error of this field. The empty text removes it. */
  showFault(text: string): void;
  focus(): void;
}

/** Returns an input with its label, a hint and a place for its error. */
export function fieldOf(label: string, input: HTMLInputElement, hint: string | HTMLElement): Field {
  const fault = h('span', { id: `${input.id}-fault`, class: 'fault' });
  input.setAttribute('aria-describedby', `${input.id}-hint ${input.id}-fault`);
  const element = h(
    'div',
    { class: 'field' },
    h('label', { for: input.id }, label),
    input,
    h('span', { id: `${input.id}-hint`, class: 'hint' }, hint),
    fault,
  );
  return {
    element,
    showFault(text) {
      setText(fault, text);
      if (text === '') input.removeAttribute('aria-invalid');
      else input.setAttribute('aria-invalid', 'true');
    },
    focus: () => input.focus(),
  };
}

export interface FormOptions {
  readonly content: readonly HTMLElement[];
  /** The fields by their name in the request. An error of another field is shown above the buttons. */
  readonly fields?: Readonly<Record<string, Field>>;
  readonly submitLabel: string;
  /** True if the action deletes something. */
  readonly isDangerous?: boolean;
  readonly onSubmit: () => Promise<void>;
  readonly onCancel: () => void;
}

/** Returns a form with a button that submits and one that cancels. Errors of the service appear at their fields. */
export function createForm(options: FormOptions): HTMLFormElement {
  const { content, fields = {}, submitLabel, isDangerous = false, onSubmit, onCancel } = options;
  const fault = h('p', { class: 'fault', role: 'alert' });
  const submit = h('button', { type: 'submit', class: isDangerous ? 'primary danger' : 'primary' }, submitLabel);
  const cancel = h('button', { type: 'button', class: 'secondary', onclick: onCancel }, 'Cancel');
  const form = h('form', { novalidate: true }, ...content, fault, h('p', { class: 'dialog-buttons' }, cancel, submit));
  const showError = (error: unknown) => {
    const rest = error instanceof ProblemError && error.faults.length > 0 ? showAtFields(error, fields) : undefined;
    setText(fault, rest ?? reasonOf(error));
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    for (const field of Object.values(fields)) field.showFault('');
    setText(fault, '');
    submit.disabled = true;
    onSubmit()
      .catch(showError)
      .finally(() => (submit.disabled = false));
  });
  return form;
}

/** Shows each error at its field and focuses the first one. Returns the errors of other fields. */
function showAtFields({ faults }: ProblemError, fields: Readonly<Record<string, Field>>): string {
  const nameOf = ({ pointer = '' }: (typeof faults)[number]) => pointer.split('/')[1] ?? '';
  for (const it of faults) fields[nameOf(it)]?.showFault(`${it.detail}.`);
  fields[faults.map(nameOf).find((it) => it in fields) ?? '']?.focus();
  const rest = faults.filter((it) => !(nameOf(it) in fields));
  return rest.map((it) => `${it.detail}.`).join(' ');
}
