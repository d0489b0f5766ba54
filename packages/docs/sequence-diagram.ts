import { type Html, html } from './html.js';

/** Distances in pixels. The drawing is scaled to the page. */
const step = { x: 168, y: 46 };
const box = { width: 136, height: 34, top: 10 };

interface Arrow {
  readonly from: number;
  readonly to: number;
  readonly isReply: boolean;
  readonly text: string;
}

/**
 * Draws the subset of Mermaid's sequence diagrams that the guides use: `participant A as Name` and `A->>B: text`. Does
 * not use Mermaid, because it is much larger than the rest of the site. Code hosting sites draw the diagrams with
 * Mermaid.
 */
export function sequenceDiagram(source: string): Html {
  const names = [...source.matchAll(/participant (\w+) as (.+)/g)].map(([, id = '', name = '']) => ({ id, name }));
  const at = (id: string | undefined) => names.findIndex((it) => it.id === id);
  const arrows = [...source.matchAll(/(\w+)(--?)>>(\w+): (.+)/g)].map(([, from, line, to, text = '']) => ({
    from: at(from),
    to: at(to),
    isReply: line === '--',
    text,
  }));
  const width = names.length * step.x;
  const height = box.top + box.height + (arrows.length + 1) * step.y;
  return html`<figure class="diagram" tabindex="0" role="group" aria-label="Sequence diagram">
    <svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
      <title>
        ${arrows.map(({ from, to, text }) => `${names[from]?.name} to ${names[to]?.name}: ${text}`).join('; ')}
      </title>
      ${names.map(({ name }, index) => lifeline(name, centre(index), height))} ${arrows.map(arrow)}
    </svg>
  </figure>`;
}

function lifeline(name: string, x: number, height: number): Html {
  return html`<line class="lifeline" x1="${x}" y1="${box.top + box.height}" x2="${x}" y2="${height}" />
    <rect x="${x - box.width / 2}" y="${box.top}" width="${box.width}" height="${box.height}" rx="8" />
    <text class="name" x="${x}" y="${box.top + box.height / 2 + 5}">${name}</text>`;
}

function arrow({ from, to, isReply, text }: Arrow, index: number): Html {
  const y = box.top + box.height + (index + 1) * step.y;
  const [start, end] = [centre(from), centre(to)];
  const back = end > start ? -7 : 7;
  const middle = (start + end) / 2;
  return html`<text class="message" x="${middle}" y="${y - 8}">${text}</text>
    <line class="${isReply ? 'reply' : 'call'}" x1="${start}" y1="${y}" x2="${end}" y2="${y}" />
    <path class="head" d="M${end} ${y}l${back} -4v8z" />`;
}

function centre(index: number): number {
  return index * step.x + step.x / 2;
}
