import type { State } from '../../contract.js';
import { colours, round, text } from '../svg.js';

/** One reading with its response. */
export interface TimelinePoint {
  /** Seconds since the start of the timeline, ascending. */
  readonly second: number;
  /** bpm. Absent if the reading has none. */
  readonly heartRate?: number | undefined;
  readonly score: number;
  readonly state: State;
  readonly topics?: readonly string[] | undefined;
}

/** Maps a second of the timeline to a horizontal position, px. */
export interface Scale {
  readonly end: number;
  xOf(second: number): number;
}

export interface Panel {
  readonly top: number;
  readonly bottom: number;
}

export const width = 900;
export const plot = { left: 62, right: 740 };
/** Panels from top to bottom, px. */
export const heart: Panel = { top: 82, bottom: 212 };
export const score: Panel = { top: 244, bottom: 444 };
export const strip: Panel = { top: 456, bottom: 474 };

/** Position in the picture, px. */
export type Place = readonly [x: number, y: number];

export function line(places: readonly Place[], colour: string): string {
  const points = places.map(([x, y]) => `${x},${y}`).join(' ');
  return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="1.6" stroke-linejoin="round"/>`;
}

export function dot([x, y]: Place = [0, 0], fill: string, radius: number): string {
  return `<circle cx="${x}" cy="${round(y)}" r="${radius}" fill="${fill}" stroke="${colours.ground}"/>`;
}

export function rect(x: number, y: number, w: number, h: number, fill: string, opacity: number): string {
  const size = `width="${round(w)}" height="${round(h)}"`;
  return `<rect x="${round(x)}" y="${round(y)}" ${size} fill="${fill}" fill-opacity="${opacity}"/>`;
}

export function gridLine(y: number): string {
  return `<line x1="${plot.left}" x2="${plot.right}" y1="${round(y)}" y2="${round(y)}" stroke="${colours.grid}"/>`;
}

export function axisText(y: number, content: string): string {
  return text(plot.left - 8, y + 4, content, { size: 11.5, anchor: 'end', fill: colours.faint });
}

/** Writes the name of an axis above its panel. */
export function axisTitle({ top }: Panel, content: string): string {
  return text(plot.left, top - 8, content, { size: 12, weight: 600 });
}

/** Returns the vertical position of a share from 0 (bottom) to 1 (top) of a panel, px. */
export function yIn({ top, bottom }: Panel, share: number): number {
  return round(bottom - Math.min(1, Math.max(0, share)) * (bottom - top));
}
