import { keepOwnWords } from '../../../packages/text/own-words.js';
import { readSafetyTexts } from '../../../packages/text/training/safety.js';
import { frontEnds, othersPassage, ownQuestion } from '../../../testkit/front-ends.js';
import { type LeftOut } from './left-out.js';
import { type Figures, shareLine, toFigures } from './lines.js';

/** Measures whether dangers in the words of others are findings of the person, and whether their own are still found. */
export function measureOwnWords(data: string, leftOut: LeftOut): Figures[] {
  const dangers = readSafetyTexts(data).filter(({ source, danger }) => /^voices/.test(source) && danger !== 'none');
  const isFound = ({ source, text }: (typeof dangers)[0], message: string) =>
    leftOut.find(source, text).analyze(keepOwnWords(message)).check.danger !== undefined;
  const found = dangers.filter((it) => isFound(it, it.text));
  const lines = toFigures('own words: dangers that are found alone', [
    Object.entries(frontEnds).map(([name, write]) =>
      shareLine(`${name}: found in the words of others`, found, (it) => isFound(it, write(ownQuestion, it.text)), {
        max: 0,
      }),
    ),
    Object.entries(frontEnds).map(([name, write]) =>
      shareLine(`${name}: found in the own words`, found, (it) => isFound(it, write(it.text, othersPassage)), {
        min: 0.99,
      }),
    ),
  ]);
  return [lines];
}
