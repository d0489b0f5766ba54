import type { Schema } from '../contract.js';
import type { Colours } from './colours.js';
import { paint, scoreBar } from './score-bar.js';
import { pad } from './table.js';

const barWidth = 25;
const stateWidth = 12;

/** Formats one event in at most 100 columns. */
export function eventLine(
  { timestamp, previous_state, new_state, stress_score }: Schema<'StateChange'>,
  isGenuine: boolean,
  colours: Colours,
): string {
  const cells = [
    colours.dim(timestamp.slice(11, 23)),
    `${paint(previous_state, previous_state.padStart(stateWidth), colours)} → ${pad(paint(new_state, new_state, colours), stateWidth)}`,
    scoreBar(stress_score, barWidth, colours),
    String(stress_score).padStart(3),
    isGenuine ? colours.green('verified') : colours.red('NOT VERIFIED'),
  ];
  return cells.join('  ');
}
