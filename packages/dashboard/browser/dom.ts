import { capitalized } from './format.js';

type Content = Node | string | number | false | undefined;
type Attribute = string | number | boolean | undefined | ((event: Event) => void);
type Attributes = Readonly<Record<string, Attribute>>;

const svgNamespace = 'http://www.w3.org/2000/svg';

/**
 * Returns an HTML element. Text is never interpreted as HTML, so ids and topics from clients are safe. An attribute
 * that is false or undefined is left out. A function is added as a listener: `onclick` listens to `click`.
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): HTMLElementTagNameMap[Name] {
  return fill(document.createElement(name), attributes, content);
}

/** Returns an SVG element. */
export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...content: readonly Content[]
): SVGElementTagNameMap[Name] {
  return fill(document.createElementNS(svgNamespace, name), attributes, content);
}

/** Returns a small button of secondary importance. */
export function smallButton(text: string, onclick?: () => void): HTMLButtonElement {
  return h('button', { type: 'button', class: 'secondary small', onclick }, text);
}

/** Returns a card with a title. */
export function card(title: string, ...content: readonly Content[]): HTMLElement {
  const id = `card-${title.toLowerCase().replaceAll(' ', '-')}`;
  return h('section', { class: 'card', 'aria-labelledby': id }, h('h2', { id }, title), ...content);
}

/** Puts the elements in this order. An element that keeps its place is not moved, because it would lose its focus. */
export function arrange(list: HTMLElement, elements: readonly HTMLElement[]): void {
  const kept = new Set(elements);
  for (const child of [...list.children]) if (!kept.has(child as HTMLElement)) child.remove();
  elements.forEach((element, index) => {
    const present = list.children[index];
    if (present === element) return;
    if (present) present.before(element);
    else list.append(element);
  });
}

/** Returns a select with its label. */
export function choiceField(name: string, choices: ReadonlyArray<readonly [value: string | number, text: string]>) {
  const id = `field-${name.toLowerCase().replaceAll(' ', '-')}`;
  const select = h('select', { id }, ...choices.map(([value, text]) => h('option', { value }, capitalized(text))));
  return { select, element: h('p', { class: 'field' }, h('label', { for: id }, name), select) };
}

/** Changes the text of an element only when it differs, so that screen readers announce changes only. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

const siteTitle = document.title;

/** Puts a text before the name of the site in the title of the page. Without a text, the title is the name of the site. */
export function setTitle(text = ''): void {
  const title = text === '' ? siteTitle : `${text} – ${siteTitle}`;
  if (document.title !== title) document.title = title;
}

function fill<Made extends Element>(element: Made, attributes: Attributes, content: readonly Content[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice('on'.length), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...content.filter((it) => it !== undefined && it !== false).map(toNode));
  return element;
}

function toNode(content: Node | string | number): Node | string {
  return typeof content === 'number' ? String(content) : content;
}
