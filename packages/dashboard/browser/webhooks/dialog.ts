import { ProblemError } from '../../../client/src/index.js';
import { type Content, h, show } from '../../../ui/dom.js';
import { createCopyable, type Field } from '../../../ui/parts.js';
import { reasonOf } from '../service.js';

export type Dialog = ReturnType<typeof openDialog>;

/**
 * Opens a modal dialog within the host. Closing it returns the focus to the button that opened it, or to the heading of
 * the page if this button is gone.
 */
function openDialog(host: HTMLElement) {
  const title = h('h2');
  const body = h('div');
  const dialog = h('dialog', title, body);
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (document.activeElement === document.body) host.querySelector('h1')?.focus();
  });
  // Chromium has this event before the first Escape only, and other browsers do not know `closedby`.
  dialog.addEventListener('cancel', (event) => {
    if (dialog.getAttribute('closedby') === 'none') event.preventDefault();
  });
  host.append(dialog);
  return {
    /** Replaces the title and the content, and moves the focus to the first control of the content. */
    show(text: string, ...content: readonly Content[]) {
      show(title, text);
      dialog.ariaLabel = text;
      body.replaceChildren(h('div', content));
      if (!dialog.open) dialog.showModal();
      body.querySelector<HTMLElement>('input, button')?.focus();
    },
    close: () => dialog.close(),
    /** Sets whether a request is in progress. Escape does not close the dialog then, nor the only view of a secret. */
    hold: (isBusy: boolean) =>
      dialog.setAttribute('closedby', isBusy || body.querySelector('.secret') ? 'none' : 'closerequest'),
  };
}

interface FormOptions {
  readonly title: string;
  readonly content: readonly Content[];
  /** The fields by their name in the request. An error of another field is shown above the buttons. */
  readonly fields?: Readonly<Record<string, Field>>;
  readonly submitLabel: string;
  /** True if the action deletes something. */
  readonly isDangerous?: boolean;
  readonly onSubmit: (dialog: Dialog) => Promise<void>;
}

/** Opens a form with a button that submits and one that cancels. Errors of the service appear at their fields. */
export function openForm(host: HTMLElement, options: FormOptions): void {
  const dialog = openDialog(host);
  const { title, content, fields = {}, submitLabel, isDangerous = false, onSubmit } = options;
  const fault = h('div.fault', { role: 'alert' });
  const submit = h('button.primary', { type: 'submit', class: isDangerous && 'danger' }, submitLabel);
  const cancel = h('button.secondary', { type: 'button', onclick: dialog.close }, 'Cancel');
  const showError = (error: unknown) => {
    const atFields = error instanceof ProblemError && error.faults.length > 0;
    show(fault, atFields ? showAtFields(error, fields) : reasonOf(error));
  };
  const setBusy = (isBusy: boolean) => {
    submit.disabled = cancel.disabled = isBusy;
    dialog.hold(isBusy);
  };
  const onsubmit = (event: Event) => {
    event.preventDefault();
    for (const field of Object.values(fields)) field.showFault('');
    show(fault);
    setBusy(true);
    onSubmit(dialog)
      .catch(showError)
      .finally(() => setBusy(false));
  };
  const buttons = h('p.line.between', cancel, submit);
  dialog.show(title, h('form', { novalidate: true, onsubmit }, content, fault, buttons));
}

/** Asks before an action that deletes something. */
export function openConfirmation(
  host: HTMLElement,
  [title, submitLabel]: readonly [title: string, submitLabel: string],
  content: Content,
  run: () => Promise<unknown>,
): void {
  const onSubmit = (dialog: Dialog) => run().then(dialog.close);
  openForm(host, { title, content: [h('p', content)], submitLabel, isDangerous: true, onSubmit });
}

/** Shows a secret with a button that copies it. Only the button "Done" closes the dialog. */
export function showSecret(dialog: Dialog, title: string, note: Content, name: string, secret: string): void {
  const done = h('p.line', h('button.primary.end', { type: 'button', onclick: dialog.close }, 'Done'));
  dialog.show(title, h('p.notice', note), createCopyable(name, secret), done);
}

/** Shows each error at its field and focuses the first one. Returns the errors of other fields. */
function showAtFields({ faults }: ProblemError, fields: Readonly<Record<string, Field>>): string {
  const named = faults.map(({ pointer = '', detail }) => ({ name: pointer.split('/')[1] ?? '', text: `${detail}.` }));
  for (const { name, text } of named) fields[name]?.showFault(text);
  fields[named.find(({ name }) => name in fields)?.name ?? '']?.focus();
  const rest = named.filter(({ name }) => !(name in fields));
  return rest.map(({ text }) => text).join(' ');
}
