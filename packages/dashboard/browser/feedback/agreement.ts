import type { Agreement, Estimate } from '../../../client/src/index.js';
import { bands, feedback as bounds } from '../../../../generated/spec.js';
import { h, setText } from '../dom.js';
import { capitalized, count, percent, words } from '../format.js';
import { reasonOf } from '../service.js';

const chance = 0.5;
const loading = 'Loading …';
const source = 'Store a report on the page of a session or a person, or send reports with POST /v1/feedback.';
const caption = `Probability that a report of ${bounds.stressed_from} or more has a higher score than another report, with its 95 % interval. ${chance} is chance.`;
const chanceHint = `The interval contains ${chance}: these reports do not show that the score agrees better than chance.`;

/** Returns the agreement of scores with reports. `group` names what counts as one group: a day or a person. */
export function createAgreementView(request: () => Promise<Agreement>, group: 'day' | 'person', signal: AbortSignal) {
  const line = h('span', { class: 'agreement-line', role: 'status' }, loading);
  const detail = h('div', { class: 'agreement', hidden: true });
  const show = (agreement: Agreement) => {
    setText(line, describe(agreement, group));
    detail.hidden = false;
    detail.replaceChildren(...(agreement.reports === 0 ? [h('p', { class: 'hint' }, source)] : draw(agreement, group)));
  };
  return {
    line,
    detail,
    async load() {
      try {
        show(await request());
      } catch (error) {
        if (!signal.aborted) setText(line, reasonOf(error));
      }
    },
  };
}

function draw(agreement: Agreement, group: string): HTMLElement[] {
  return [
    h('div', {}, ...(agreement.auc ? aucPlot(agreement.auc) : missingReports(agreement, group))),
    h(
      'div',
      {},
      h('h3', {}, 'Stressed reports by band of the score'),
      h('ul', { class: 'calibration' }, ...agreement.calibration.map(calibrationRow)),
      scale(['0 %', '50 %', '100 %']),
    ),
    ...(agreement.auc ? [h('p', { class: 'hint' }, describeAuc(agreement.auc))] : []),
  ];
}

function describe(agreement: Agreement, group: string): string {
  const { reports, scored_reports: scored, groups, auc, model_version: model } = agreement;
  if (reports === 0) return 'No reports yet.';
  const newest = reports === bounds.reports_max ? 'the newest ' : '';
  const numbers = `${newest}${count(reports, 'report')}, ${scored.toLocaleString('en')} with a score of model ${model}`;
  const groupCount = count(groups, group, group === 'person' ? 'people' : 'days');
  return `${auc ? `AUC ${figures(auc)}` : 'Not enough reports'}: ${numbers}, ${groupCount}`;
}

function figures({ value, low, high }: Estimate): string {
  return `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

/** Returns the AUC on a line from 0 to 1, with a mark at chance. */
function aucPlot(auc: Estimate): HTMLElement[] {
  return [
    h('h3', {}, 'AUC'),
    h('p', { class: 'auc' }, h('strong', {}, auc.value.toFixed(2)), ` ${auc.low.toFixed(2)} to ${auc.high.toFixed(2)}`),
    intervalPlot(auc),
    scale(['0', `${chance} chance`, '1']),
  ];
}

function describeAuc({ low, high }: Estimate): string {
  return low <= chance && high >= chance ? `${caption} ${chanceHint}` : caption;
}

/** Returns what an AUC requires, and what there is. */
function missingReports(
  { scored_reports: scored, stressed_reports: stressed, groups }: Agreement,
  group: string,
): HTMLElement[] {
  const required = [
    [scored, bounds.reports_min, 'reports with a score'],
    [stressed, bounds.side_reports_min, `of them with a stress of ${bounds.stressed_from} or more`],
    [scored - stressed, bounds.side_reports_min, `of them with a stress below ${bounds.stressed_from}`],
    [groups, bounds.groups_min, group === 'person' ? 'people' : 'days with a report'],
  ] as const;
  const rows = required.map(([found, min, text]) => {
    const isMet = found >= min;
    return h('li', { class: isMet ? 'met' : '' }, `${found.toLocaleString('en')} of at least ${min} ${text}`);
  });
  return [h('h3', {}, 'Not enough reports for an AUC'), h('ul', { class: 'required' }, ...rows)];
}

function calibrationRow({ state, reports, stressed_share: share, ...means }: Agreement['calibration'][number]) {
  const band = bands.find((it) => it.state === state);
  const range = band ? `${band.min_score}–${band.max_score}` : '';
  const { mean_score: score, mean_stress: stress } = means;
  const facts = [
    reports === 0 ? 'no reports' : count(reports, 'report'),
    ...(reports > 0 && !share ? [`a share requires ${bounds.band_reports_min}`] : []),
    ...(score === undefined ? [] : [`mean score ${score}`]),
    ...(stress === undefined ? [] : [`mean stress ${stress}`]),
  ];
  return h(
    'li',
    { class: state },
    h('span', { class: 'band-label' }, `${capitalized(words(state))} `, h('span', { class: 'hint' }, range)),
    intervalPlot(share),
    h(
      'span',
      { class: 'facts-line' },
      share && h('strong', {}, `${percent(share.value)} `),
      share && `(${percent(share.low)} to ${percent(share.high)}), `,
      facts.join(', '),
    ),
  );
}

/** Returns an interval with its estimate on a line from 0 to 1. The text beside it has the same figures. */
function intervalPlot(estimate: Estimate | undefined): HTMLElement {
  const plot = h('div', { class: 'interval-plot', 'aria-hidden': 'true' });
  if (!estimate) return plot;
  const { value, low, high } = estimate;
  const [bar, dot] = [h('span', { class: 'interval' }), h('span', { class: 'estimate' })];
  bar.style.left = `${low * 100}%`;
  bar.style.width = `${(high - low) * 100}%`;
  dot.style.left = `${value * 100}%`;
  plot.append(bar, dot);
  return plot;
}

function scale(labels: readonly string[]): HTMLElement {
  return h('div', { class: 'interval-scale', 'aria-hidden': 'true' }, ...labels.map((it) => h('span', {}, it)));
}
