type Handler = (event: Event) => void;
export type Attributes = Readonly<Record<string, string | number | boolean | undefined | Handler>>;
export type Content = Node | string | number | false | undefined | readonly Content[];
type TagOf<Selector extends string> = Selector extends `${infer Tag}.${string}` ? Tag : Selector;
type Made<Selector extends string> =
  TagOf<Selector> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[TagOf<Selector>] : never;

/**
 * Returns an HTML element: `h('p.hint', 'Text')`, `h('a', { href }, 'Text')`. Text is never interpreted as HTML, so ids and
 * topics from clients are safe. Attributes and content that are false or undefined are left out. A function is a handler:
 * `onclick`. `key` names an element of a list, whose place may change.
 */
export function h<Selector extends string>(selector: Selector, ...parts: ReadonlyArray<Attributes | Content>) {
  const [tag = '', ...classes] = selector.split('.');
  return fill(document.createElement(tag), classes, parts) as Made<Selector>;
}

/** Returns an SVG element. */
export function svg(selector: string, ...parts: ReadonlyArray<Attributes | Content>): SVGElement {
  const [tag = '', ...classes] = selector.split('.');
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), classes, parts) as SVGElement;
}

function fill<Filled extends Element>(element: Filled, classes: readonly string[], parts: readonly unknown[]): Filled {
  for (const part of parts as ReadonlyArray<Attributes | Content>)
    if (isAttributes(part)) for (const entry of Object.entries(part)) setAttribute(element, ...entry);
    else element.append(...listNodes(part));
  if (classes.length > 0) element.classList.add(...classes);
  return element;
}

function isAttributes(part: Attributes | Content): part is Attributes {
  return typeof part === 'object' && !(part instanceof Node) && !Array.isArray(part);
}

function setAttribute(element: Element, name: string, value: Attributes[string]): void {
  if (value === undefined || value === false) return;
  if (typeof value === 'function') Object.assign(element, { [name]: value });
  // The content security policy forbids the attribute `style`, but not this property.
  else if (name === 'style') (element as HTMLElement).style.cssText = String(value);
  else element.setAttribute(name === 'key' ? 'data-key' : name, value === true ? '' : String(value));
}

function listNodes(content: Content): Node[] {
  if (content instanceof Node) return [content];
  if (typeof content === 'string' || typeof content === 'number') return [new Text(String(content))];
  return content === undefined || content === false ? [] : content.flatMap(listNodes);
}

/** Attributes that the reader changes. */
const readersOwn = ['open'];

/**
 * Makes an element contain exactly this content. It changes only what differs: elements that stay keep their focus, and
 * screen readers announce changes only.
 */
export function show(place: Element, ...content: readonly Content[]): void {
  showNodes(place, listNodes(content));
}

function showNodes(place: Element, nodes: readonly Node[]): void {
  const wanted = new Set(nodes.map(keyOf));
  const keyed = new Map<string, ChildNode>();
  for (const child of [...place.childNodes]) {
    const key = keyOf(child);
    if (key !== undefined && wanted.has(key)) keyed.set(key, child);
    else if (key !== undefined) child.remove();
  }
  nodes.forEach((node, index) => {
    const present = place.childNodes[index];
    const key = keyOf(node);
    const same = key === undefined ? present : keyed.get(key);
    if (same === node && present === node) return;
    const isAlike = same?.nodeName === node.nodeName && keyOf(same) === key;
    if (isAlike) update(same, node);
    const shown = isAlike ? same : node;
    if (shown !== present) place.insertBefore(shown, present ?? null);
    // An element without a key stands for its place.
    if (!isAlike && present && keyOf(present) === undefined) present.remove();
  });
  while (place.childNodes.length > nodes.length) place.lastChild?.remove();
}

function keyOf(node: Node): string | undefined {
  return node instanceof HTMLElement ? node.dataset['key'] : undefined;
}

function update(old: Node, next: Node): void {
  if (old instanceof CharacterData && old.data !== next.nodeValue) old.data = next.nodeValue ?? '';
  if (!(old instanceof Element) || !(next instanceof Element)) return;
  for (const { name } of [...old.attributes])
    if (!next.hasAttribute(name) && name !== 'style' && !readersOwn.includes(name)) old.removeAttribute(name);
  for (const { name, value } of next.attributes)
    if (name !== 'style' && old.getAttribute(name) !== value) old.setAttribute(name, value);
  const [styled, source] = [old, next] as HTMLElement[];
  if (styled && source) {
    if (styled.style.cssText !== source.style.cssText) styled.style.cssText = source.style.cssText;
    styled.onclick = source.onclick;
  }
  showNodes(old, [...next.childNodes]);
}

const siteTitle = document.title;

/** Puts a text before the name of the site in the title of the page. Without a text, the title is the name of the site. */
export function setTitle(text = ''): void {
  const title = text === '' ? siteTitle : `${text} – ${siteTitle}`;
  if (document.title !== title) document.title = title;
}
