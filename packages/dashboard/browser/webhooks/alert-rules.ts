import { alerts as settings, enums } from '../../../../generated/spec.js';
import type { AlertRule, AlertRuleRequest, Webhook } from '../../../client/src/index.js';
import { timeZone } from '../../../sentence/calendar.js';
import { h, show } from '../../../ui/dom.js';
import { age, count } from '../../../ui/format.js';
import { nameOf } from '../names.js';
import { button, controlledCard, createField, createSelect } from '../../../ui/parts.js';
import { personLink } from '../router.js';
import { nowMs } from '../service.js';
import { type Dialog, openConfirmation, openForm } from './dialog.js';
import { type DialogParts, openRegistration } from './webhook-dialogs.js';

const conditions: Readonly<Record<AlertRule['condition'], string>> = {
  stressed: 'Stressed or above for',
  above_usual: 'Above the usual score of the person for',
  no_data: 'No data for',
  trigger_active: 'A topic becomes an active trigger',
};
/** People of a rule that its row names. */
const namedMax = 3;

/** Returns the card of the alert rules, with a button that creates one. */
export function createAlertRules(parts: DialogParts, signal: AbortSignal) {
  const [list, note] = [h('ul.list'), h('p.hint')];
  const add = button('New rule …', () => openAlertRule(parts));
  return {
    element: controlledCard('Alert rules', [add], list, note),
    async load(webhooks: readonly Webhook[]) {
      const rules = await parts.service.alertRules({ signal });
      show(list, ...rules.map((rule) => ruleRow(rule, parts)));
      const missing = rules.filter((it) => !isReceived(it, webhooks)).map(describeRule);
      const none = 'No rule yet. A rule sends an alert to your webhooks when its condition is true for a person.';
      const register = () => button('Register one …', () => openRegistration(parts, ['alert']));
      show(
        note,
        rules.length === 0 && none,
        missing.length > 0 && [`No webhook receives: ${missing.join(', ')}. `, register()],
      );
    },
  };
}

/** Returns true if a webhook receives the alerts of a rule, at least of one of its people. */
function isReceived({ subject_ids: people }: AlertRule, webhooks: readonly Webhook[]): boolean {
  const covers = (id: string | undefined) => id === undefined || !people || people.includes(id);
  return webhooks.some(({ events, subject_id }) => events.includes('alert') && covers(subject_id));
}

function ruleRow(rule: AlertRule, { service, host, onChanged }: DialogParts) {
  const { id, subject_ids: people, quiet_hours: quiet, last_fired_at: fired } = rule;
  const text = describeRule(rule);
  const remove = () =>
    openConfirmation(host, ['Remove the alert rule?', 'Remove'], `${text}. The rule no longer fires.`, () =>
      service.removeAlertRule(id).then(() => onChanged('Alert rule removed.')),
    );
  const named = people?.slice(0, namedMax).flatMap((it, index) => [index > 0 && ', ', linkTo(it)]);
  const rest = (people?.length ?? 0) - namedMax;
  const facts = [
    named ? ['for ', named.length === 0 ? 'no person: all were erased' : named] : 'for all people',
    rest > 0 && ` and ${rest} more`,
    quiet && ` · quiet from ${quiet.from} to ${quiet.to}, ${quiet.time_zone}`,
    fired === undefined ? ' · not fired in the last days' : ` · last fired ${age(Date.parse(fired), nowMs())}`,
  ];
  const removal = button('Remove …', remove, { class: 'danger', 'aria-label': `Remove: ${text}` });
  return h('li', { key: id }, h('div.line.between', h('strong', text), removal), h('p.hint', facts));
}

function linkTo(id: string) {
  return h('a', { href: personLink(id) }, nameOf(id));
}

/** Returns e.g. `Stressed or above for 10 minutes`. */
function describeRule({ condition, minutes, hours }: AlertRule): string {
  const time = minutes === undefined ? hours && count(hours, 'hour') : count(minutes, 'minute');
  return [conditions[condition], time].filter(Boolean).join(' ');
}

/**
 * Asks for the condition, the people and the quiet hours of a rule, and creates it. `subjectId` is a person to begin with.
 * The form of a webhook follows if none receives the alerts.
 */
export function openAlertRule(parts: DialogParts, subjectId = ''): void {
  const { service, host, onChanged } = parts;
  const number = (value: number, max: number) => h('input', { type: 'number', min: 1, max, value });
  const [minutes, hours, from, to] = [
    number(settings.default_minutes, 60),
    number(settings.default_hours, 168),
    h('input', { type: 'time' }),
    h('input', { type: 'time' }),
  ];
  const people = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', value: subjectId });
  const names = enums.AlertCondition.map((it) => [it, conditions[it].replace(/ for$/, ' for a time')] as const);
  const condition = createSelect(names, { onchange: () => showTime() });
  const fields = {
    condition: createField('When', condition),
    minutes: createField('Minutes', minutes),
    hours: createField('Hours', hours),
    subject_ids: createField(
      'People',
      people,
      'Ids with spaces between them. Empty: everyone, also people who come later.',
    ),
    quiet_hours: createField('Quiet from (optional)', from),
    quiet_to: createField(
      'Quiet to',
      to,
      `In ${timeZone()}. Nothing fires in the quiet hours. What is still true at their end fires then.`,
    ),
  };
  const showTime = () => {
    fields.hours.element.hidden = condition.value !== 'no_data';
    fields.minutes.element.hidden = !['stressed', 'above_usual'].includes(condition.value);
  };
  const onSubmit = async (dialog: Dialog) => {
    // An incomplete time has the value of an empty one.
    if (from.validity.badInput || to.validity.badInput)
      return fields.quiet_hours.showFault('Input should be two complete times.');
    const ids = people.value.split(/\s+/).filter((it) => it !== '');
    const rule: AlertRuleRequest = {
      condition: enums.AlertCondition.find((it) => it === condition.value) ?? 'stressed',
      ...(!fields.minutes.element.hidden && { minutes: Number(minutes.value) }),
      ...(!fields.hours.element.hidden && { hours: Number(hours.value) }),
      ...(ids.length > 0 && { subject_ids: ids }),
      ...(from.value + to.value !== '' && {
        quiet_hours: { from: from.value, to: to.value, time_zone: timeZone() },
      }),
    };
    const created = await service.createAlertRule(rule);
    dialog.close();
    onChanged('Alert rule created.');
    const why = 'The rule is created. No webhook receives its alerts yet: register one.';
    if (!isReceived(created, await service.webhooks.list())) openRegistration(parts, ['alert'], why);
  };
  showTime();
  const content = Object.values(fields).map(({ element }) => element);
  openForm(host, { title: 'New alert rule', content, fields, submitLabel: 'Create', onSubmit });
}
