import { operationHref, operations, type Operation, type Schema, resolve } from './contract.js';
import type { Section } from './markdown.js';
import type { Guide } from './pages.js';

/** An entry of the search index. */
export interface SearchEntry {
  readonly id: number;
  readonly title: string;
  /** Title of the page and section. */
  readonly place: string;
  /** URL relative to the root of the site. */
  readonly href: string;
  readonly text: string;
  /** Words that readers search a guide for. */
  readonly asked?: string;
  /** Factor of the rank. Operations come before guides. */
  readonly weight?: number;
}

export interface RenderedGuide {
  readonly guide: Guide;
  readonly sections: readonly Section[];
}

export function searchEntries(guides: readonly RenderedGuide[]): SearchEntry[] {
  const found = [...operations.flatMap(listEntries), ...guides.flatMap(listSections)];
  return found.map((entry, id) => ({ id, ...entry }));
}

type Entry = Omit<SearchEntry, 'id'>;

const operationWeight = 4;

function listSections({ guide, sections }: RenderedGuide): Entry[] {
  return sections.map(({ id, depth, text, body }) => ({
    title: text,
    place: depth === 1 ? 'Guide' : guide.title,
    href: `${guide.slug}/${depth === 1 ? '' : `#${id}`}`,
    text: depth === 1 ? `${guide.summary} ${body}` : body,
    ...(depth === 1 && guide.asked !== undefined && { asked: guide.asked }),
  }));
}

function listEntries(operation: Operation): Entry[] {
  const { id, method, path = '', summary, description, parameters, request, answers } = operation;
  const href = operationHref(operation);
  const place = path ? `${method} ${path}` : 'Event';
  const field = (name: string, text: string, at: string): Entry => ({
    title: name,
    place,
    href: `${href}-${at}-${name}`,
    text,
  });
  const good = answers.filter(({ status }) => status.startsWith('2'));
  return [
    { title: summary, place, href, text: `${description} ${id}`.replace(/[`*]/g, ''), weight: operationWeight },
    ...parameters.map((it) => field(it.name, it.description, it.in)),
    ...(request ? fieldsIn(request.schema).map(({ name, text }) => field(name, text, 'body')) : []),
    ...good.flatMap(({ status, body }) =>
      body
        ? fieldsIn(body.schema).map(({ name, text }) => ({
            ...field(name, text, status),
            place: `Response of ${place}`,
          }))
        : [],
    ),
  ];
}

function fieldsIn(schema: Schema): { name: string; text: string }[] {
  return Object.entries(resolve(schema).properties ?? {}).map(([name, it]) => {
    const { description = '', enum: values = [] } = resolve(it);
    return { name, text: `${description} ${values.join(' ')}` };
  });
}
