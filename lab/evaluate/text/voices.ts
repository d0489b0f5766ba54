import { readVoices, type VoiceLine } from '../../../packages/text/training/voices.js';
import { groupBy } from '../../../packages/tools/group-by.js';
import { figureColumns, percent, type TableRow } from '../../../packages/tools/terminal/table.js';
import { shareWithInterval } from '../support/share.js';
import { type Analyzer, type LeftOut, released } from './left-out.js';
import type { Figures } from './lines.js';
import { findThreshold, judge } from './safety.js';

type Judged = ReturnType<ReturnType<typeof judgeLine>>;
type Select = (it: Judged) => boolean;

const rates = [0.01, 0.02, 0.03, 0.04];
const isDanger: Select = ({ danger }) => danger !== 'none';
const isFound: Select = ({ found }) => found !== undefined;
const isGlad: Select = ({ kind }) => kind.startsWith('glad_');
const isOdd: Select = ({ register }) => ['dialect', 'typos', 'slang', 'leet'].includes(register);
const isForeign: Select = ({ register }) => register === 'translated';

/** Measures the released model on the voices that are in no training: those of the choice, and the final ones if `isHeldOut`. */
export function measureVoices(_data: string, _leftOut: LeftOut, isHeldOut: boolean): Figures[] {
  const analyzer = released();
  return (isHeldOut ? (['choice', 'final'] as const) : (['choice'] as const)).map((part) => {
    const judged = readVoices(part).map(judgeLine(analyzer));
    const isAbove = toThresholds(judged);
    const row = (name: string, select: Select) => rateRow(name, judged.filter(select), isAbove);
    const rows = (of: (it: Judged) => string, select: Select = () => true) =>
      [...groupBy(judged.filter(select), of).keys()]
        .sort()
        .map((key) => row(key, (it) => of(it) === key && select(it)));
    return {
      columns: [
        { title: `voices, ${part}` },
        ...figureColumns('dangers', 'others', ...rates.map((rate) => `found at ${percent(rate, 0)}`)),
        ...figureColumns('found, in use', 'false, in use'),
      ],
      sections: [
        [
          row('all', () => true),
          row('English', (it) => !isOdd(it) && !isForeign(it)),
          row('dialect, typos, slang, leetspeak', isOdd),
          row('glad lines', isGlad),
        ],
        rows(({ register }) => `register ${register}`),
        rows(({ kind }) => `kind ${kind}`, isDanger),
        rows(
          ({ kind }) => `kind ${kind}`,
          (it) => !isDanger(it),
        ),
        rows(({ voice }) => `voice ${voice}`),
      ],
    };
  });
}

const judgeLine = (analyzer: Analyzer) => (it: VoiceLine) => ({
  ...judge(analyzer, { ...it, source: it.voice }),
  ...it,
});

/** The thresholds are those of all look-alikes of the part. */
const toThresholds = (judged: readonly Judged[]) =>
  rates.map((rate) =>
    findThreshold(
      judged.filter((it) => !isDanger(it)),
      rate,
    ),
  );

function rateRow(name: string, judged: readonly Judged[], isAbove: ReturnType<typeof toThresholds>): TableRow {
  const [dangers, others] = [judged.filter(isDanger), judged.filter((it) => !isDanger(it))];
  const share = (texts: readonly Judged[], holds: (it: Judged) => number) =>
    texts.length === 0
      ? '–'
      : shareWithInterval(
          texts.reduce((sum, it) => sum + holds(it), 0),
          texts.length,
        );
  return [
    name,
    String(dangers.length),
    String(others.length),
    ...isAbove.map((holds) => share(dangers, holds)),
    ...[dangers, others].map((it) => share(it, (text) => Number(isFound(text)))),
  ];
}
