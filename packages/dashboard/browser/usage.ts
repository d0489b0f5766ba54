import { h, setText } from './dom.js';
import { count } from './format.js';
import type { Service } from './service.js';

/** Calls of the account in this month. */
export interface Usage {
  readonly used: number;
  readonly quota: number;
  readonly resetSeconds: number;
}

/** Reads the month from the RateLimit headers. Undefined for an account without a monthly quota. */
export function usageOf(headers: Headers): Usage | undefined {
  const policy = /"month";q=(\d+)/.exec(headers.get('ratelimit-policy') ?? '');
  const rest = /"month";r=(\d+);t=(\d+)/.exec(headers.get('ratelimit') ?? '');
  if (!policy || !rest) return undefined;
  const [quota, remaining] = [Number(policy[1]), Number(rest[1])];
  return { quota, used: quota - remaining, resetSeconds: Number(rest[2]) };
}

const secondsPerDay = 86_400;

/** Fills an element with the calls of the month against the quota of the account. */
export function createUsageChip(element: HTMLElement): { show(usage: Service['usage']): void } {
  const text = h('span', {});
  const meter = h('meter', {
    min: 0,
    max: 1,
    high: 0.8,
    optimum: 0,
    'aria-label': 'Calls of this month',
    hidden: true,
  });
  element.className = 'usage';
  element.hidden = true;
  element.append(text, meter);
  return {
    show({ known, month }) {
      element.hidden = !known;
      meter.hidden = !month;
      setText(text, month ? `${month.used.toLocaleString('en')} of ${count(month.quota, 'call')}` : 'No monthly quota');
      if (!month) return;
      meter.value = month.used / month.quota;
      element.title = `Calls of this month. The next month starts in ${count(Math.ceil(month.resetSeconds / secondsPerDay), 'day')}.`;
    },
  };
}
