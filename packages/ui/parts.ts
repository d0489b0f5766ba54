/** Parts that several pages share. */
import { type Attributes, type Content, h, show } from './dom.js';
import { label } from './format.js';

/** Returns the heading of a page, which gets the focus when the page opens. */
export function pageHead(title: string, ...content: readonly Content[]) {
  return h('header.line', h('h1', { tabindex: -1 }, title), content);
}

export function card(title: string, ...content: readonly Content[]) {
  return controlledCard(title, [], ...content);
}

/** Returns a card with controls beside its title. */
export function controlledCard(title: string, controls: readonly HTMLElement[], ...content: readonly Content[]) {
  const id = `card-${title.toLowerCase().replaceAll(' ', '-')}`;
  return h('section.card', { 'aria-labelledby': id }, h('div.line.between', h('h2', { id }, title), controls), content);
}

/** Returns a small button of secondary importance. */
export function button(text: Content, onclick: () => void, attributes: Attributes = {}) {
  return h('button.secondary.small', { type: 'button', onclick, ...attributes }, text);
}

/** Returns a bar that is filled to a share from 0 to 1. */
export function bar(name: string, share: number, attributes: Attributes = {}) {
  const values = { 'aria-valuemin': 0, 'aria-valuemax': 1, 'aria-valuenow': share };
  return h('span.bar', { role: 'meter', 'aria-label': name, ...values, style: `--share: ${share}`, ...attributes });
}

export function badge(status: string, text = status) {
  return h(`span.badge.${status}`, text);
}

/** Returns a place for a message that screen readers announce. */
export function createStatus(name = 'p.outcome') {
  const element = h(name, { role: 'status', hidden: true }) as HTMLElement;
  return {
    element,
    say: (text: string, isFault = false) => {
      element.classList.toggle('fault', isFault);
      show(element, text);
      element.hidden = text === '';
    },
  };
}

/** The texts of `createCopyable`. Browsers offer the clipboard over HTTPS and on localhost only: then `byHand` is said. */
const copyTexts = { copy: 'Copy', copied: 'Copied.', byHand: 'Press Ctrl+C or ⌘C to copy the selection.' };

/** Returns a text with its name and a button that copies it. */
export function createCopyable(name: string, text: string, texts = copyTexts) {
  const outcome = createStatus('span.hint');
  const shown = h('code.secret', { tabindex: 0 }, text);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      outcome.say(texts.copied);
    } catch {
      getSelection()?.selectAllChildren(shown);
      outcome.say(texts.byHand);
    }
  };
  const copies = button(texts.copy, () => void copy(), { 'aria-label': `${texts.copy}: ${name}` });
  return h('div.field', h('span.line.between', h('strong', name), outcome.element, copies), shown);
}

/** Returns a row of choices, of which at most one is chosen. */
export function createChoice<Value extends string | number>(
  { name, legend, isShown = false }: { readonly name: string; readonly legend: string; readonly isShown?: boolean },
  choices: ReadonlyArray<readonly [value: Value, text: string]>,
  onchange: (value: Value) => void = () => undefined,
) {
  const options = choices.map(([value, text]) => {
    const input = h('input', { type: 'radio', name, value, onchange: () => onchange(value) });
    return { value, input, element: h('label', input, h('span', text)) };
  });
  return {
    element: h(
      'fieldset.field',
      { 'aria-label': !isShown && legend },
      isShown && h('legend', legend),
      h('div.choice', ...options.map(({ element }) => element)),
    ),
    value: () => options.find(({ input }) => input.checked)?.value,
    choose: (value?: Value) => options.forEach((it) => (it.input.checked = it.value === value)),
    focus: () => options[0]?.input.focus(),
  };
}

type Choices = ReadonlyArray<readonly [value: string | number, text: string]>;

export function createSelect(choices: Choices, attributes: Attributes = {}) {
  return h('select', attributes, ...choices.map(([value, text]) => h('option', { value }, text)));
}

/** Returns the choices of names of the contract, after one for none of them. */
export function optional(none: string, names: readonly string[]): Choices {
  return [['', none], ...names.map((it) => [it, label(it)] as const)];
}

/** Gives a control an id, and returns it with its label, a hint and a place for its error. */
export function createField(name: string, control: HTMLElement, hint: Content = false, id = idOf(name)): Field {
  const fault = h('span.fault', { id: `${id}-fault`, role: 'alert' });
  control.id = id;
  control.setAttribute('aria-describedby', `${id}-hint ${id}-fault`);
  return {
    element: h('div.field', h('label', { for: id }, name), control, h('span.hint', { id: `${id}-hint` }, hint), fault),
    showFault(text) {
      show(fault, text);
      control.ariaInvalid = text === '' ? null : 'true';
    },
    focus: () => control.focus(),
  };
}

export interface Field {
  readonly element: HTMLElement;
  /** Shows an error of this field. The empty text removes it. */
  readonly showFault: (text: string) => void;
  readonly focus: () => void;
}

export function checkbox(name: string, input: HTMLElement) {
  return h('label.line', input, name);
}

/** Returns a group of checkboxes. All are checked, unless only some are to be. */
export function createChecks<Value extends string>(
  legend: string,
  values: readonly Value[],
  texts?: Readonly<Record<Value, string>>,
  checked: readonly Value[] = values,
) {
  const options = values.map((value) => {
    const input = h('input', { type: 'checkbox', checked: checked.includes(value) });
    return { value, input, element: checkbox(texts?.[value] ?? label(value), input) };
  });
  const fault = h('span.fault');
  const boxes = options.map(({ element }) => element);
  return {
    element: h('fieldset.field', h('legend', legend), boxes, fault),
    chosen: (): Value[] => options.filter(({ input }) => input.checked).map(({ value }) => value),
    showFault: (text: string) => show(fault, text),
    focus: () => options[0]?.input.focus(),
  };
}

function idOf(name: string): string {
  return `field-${name.toLowerCase().replaceAll(/\W+/g, '-')}`;
}

/** Returns a table that scrolls within its place, and its body. */
export function createTable(name: string, heads: readonly string[], className: string) {
  const body = h('tbody');
  const head = h('tr', ...heads.map((it) => h('th', { scope: 'col' }, it)));
  const table = h('table', { class: className }, h('thead', head), body);
  return { body, element: h('div.scrolled', { tabindex: 0, role: 'region', 'aria-label': name }, table) };
}
