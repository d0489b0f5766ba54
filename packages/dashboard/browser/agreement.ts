import type { Agreement, Estimate } from '../../client/src/index.js';
import { bands, feedback as bounds } from '../../../generated/spec.js';
import { h, show } from '../../ui/dom.js';
import { count, label, percent } from '../../ui/format.js';
import { reasonOf } from './service.js';

const plurals = { day: 'days', person: 'people' } as const;
type Group = keyof typeof plurals;
const chance = 0.5;
const source = 'Store a report on the page of a session or a person, or send reports with POST /v1/feedback.';
const captionOf = (units: string) =>
  `Right order (AUC): of two reports, one of ${bounds.stressed_from} or more and one below, the share in which the first has the higher score. 95 % interval over ${units}.`;

/** Returns the agreement of scores with reports. A group is all reports of a day or of a person. */
export function createAgreementView(request: () => Promise<Agreement>, group: Group, signal: AbortSignal) {
  const line = h('span.agreement-line.hint', { role: 'status' }, 'Loading …');
  const detail = h('div.agreement', { hidden: true });
  return {
    line,
    detail,
    async load() {
      try {
        const agreement = await request();
        show(line, describe(agreement, group));
        show(detail, agreement.reports === 0 ? h('p.hint', source) : draw(agreement, group), sayDisputes(agreement));
        detail.hidden = false;
      } catch (error) {
        if (!signal.aborted) show(line, reasonOf(error));
      }
    },
  };
}

function draw(agreement: Agreement, group: Group) {
  const { auc, calibration } = agreement;
  const name = h('span', 'Right order ', h('strong', auc?.value.toFixed(2)));
  return [
    auc
      ? plots(['0', `${chance} chance`, '1'], [h('li', name, intervalPlot(auc), h('span.hint', intervalOf(auc)))])
      : missingReports(agreement, group),
    auc && h('p.hint', captionOf(plurals[group])),
    h('h3', `Stressed reports by band of the score, with 95 % intervals over ${plurals[group]}`),
    group === 'person' && h('p.hint', 'Each person has the same weight.'),
    plots(['0 %', '50 %', '100 %'], calibration.map(calibrationRow)),
  ];
}

/** Returns what the reports show. The figures stand in the details. */
function describe({ reports, scored_reports: scored, groups, auc, model_version: model }: Agreement, group: Group) {
  if (reports === 0) return 'No reports yet.';
  const all = `${reports === bounds.reports_max ? 'the newest ' : ''}${count(reports, 'report')}`;
  const of = `${all} of ${count(groups, group, plurals[group])}, ${scored.toLocaleString('en')} with a score of model ${model}`;
  if (!auc) return `Too few to tell: ${of}`;
  // Rounded as in the details.
  const share = percent(Number(auc.value.toFixed(2)));
  if (auc.low > chance) return `Stressed reports have the higher scores, in ${share} of the pairs: ${of}`;
  return `${auc.high < chance ? 'Stressed reports have the lower scores' : 'No agreement shown so far'}: ${of}`;
}

/** Returns what people disputed on their pages. The service counts only what several people did. */
function sayDisputes({ disputes }: Agreement) {
  const counts = disputes?.map((it) => `${label(it.kind)} ${it.facts} × by ${count(it.people, 'person', 'people')}`);
  return counts && h('p.hint', `Disputed on the pages of people: ${counts.join(', ')}.`);
}

function intervalOf({ low, high }: Estimate): string {
  return `${low.toFixed(2)} to ${high.toFixed(2)}`;
}

/** Returns what a comparison requires, and what there is. */
function missingReports({ scored_reports: scored, stressed_reports: stressed, groups }: Agreement, group: Group) {
  const required = [
    [scored, bounds.reports_min, 'reports with a score'],
    [stressed, bounds.side_reports_min, `of them with a stress of ${bounds.stressed_from} or more`],
    [scored - stressed, bounds.side_reports_min, `of them with a stress below ${bounds.stressed_from}`],
    [groups, bounds.groups_min, group === 'person' ? 'people' : 'days with a report'],
  ] as const;
  const rows = required.map(([found, min, text]) =>
    h('li.hint', `${found >= min ? '✓' : '○'} ${found.toLocaleString('en')} of at least ${min} ${text}`),
  );
  return [h('h3', 'Required for a comparison'), h('ul.required', rows)];
}

function calibrationRow({ state, reports, stressed_share: share, ...means }: Agreement['calibration'][number]) {
  const band = bands.find((it) => it.state === state);
  const { mean_score: score, mean_stress: stress } = means;
  const facts = [
    reports === 0 ? 'no reports' : count(reports, 'report'),
    ...(reports > 0 && !share ? [`a share requires ${bounds.band_reports_min}`] : []),
    ...(score === undefined ? [] : [`mean score ${score}`]),
    ...(stress === undefined ? [] : [`mean stress ${stress}`]),
  ];
  const shown = share && [
    h('strong', percent(share.value)),
    ` stressed (${percent(share.low)} to ${percent(share.high)}), `,
  ];
  return h(
    'li',
    { class: state },
    h('span', `${label(state)} `, h('span.hint', `${band?.min_score}–${band?.max_score}`)),
    intervalPlot(share),
    h('span.facts-line.hint', shown, facts.join(', ')),
  );
}

/** Returns an interval with its estimate on a line from 0 to 1. The text beside it has the same figures. */
function intervalPlot(estimate: Estimate | undefined) {
  if (!estimate) return h('div.interval-plot');
  const { value, low, high } = estimate;
  const bar = h('span.interval', { style: `left: ${low * 100}%; width: ${(high - low) * 100}%` });
  return h('div.interval-plot', { 'aria-hidden': 'true' }, bar, h('span.estimate', { style: `left: ${value * 100}%` }));
}

/** Returns rows of intervals below the labels of their axis. */
function plots(labels: readonly string[], rows: readonly HTMLElement[]) {
  const axis = h('div.axis.line.between.hint.tiny', { 'aria-hidden': 'true' }, ...labels.map((it) => h('span', it)));
  return h('ul.calibration', h('li', axis), rows);
}
