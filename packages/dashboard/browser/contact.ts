import { h, show } from '../../ui/dom.js';
import { count, whenOf } from '../../ui/format.js';
import { bar } from '../../ui/parts.js';
import { everySecond, type Service } from './service.js';

/** A stream that the service ends connects again within this time. */
const graceMs = 3_000;

/**
 * Shows whether the stream is connected, and since when the service has not responded. `isPast` returns true while the page
 * shows a session that has ended: its state is not live. Hides everything when the signal aborts.
 */
export function followContact(status: HTMLElement, banner: HTMLElement, isPast: () => boolean, signal: AbortSignal) {
  let isConnected = false;
  let refusal: string | undefined;
  const startMs = Date.now();
  let lastMs: number | undefined;

  const draw = () => {
    if (signal.aborted) return;
    const silentMs = Date.now() - (lastMs ?? startMs);
    banner.hidden = refusal === undefined && (isConnected || silentMs < graceMs);
    status.classList.toggle('connected', isConnected);
    const present = !isConnected ? 'Connecting …' : isPast() ? 'Connected' : 'Live';
    show(status, refusal === undefined ? present : 'Not live');
    if (refusal !== undefined) return show(banner, `Readings do not appear live. ${refusal}`);
    const since = lastMs === undefined ? '' : ` since ${whenOf(lastMs, Date.now())}`;
    // Hidden from screen readers, because a change of the alert would be announced every second.
    const passed = h('span', { 'aria-hidden': 'true' }, ` (${Math.floor(silentMs / 1_000)} s).`);
    show(banner, h('span', `No contact with the service${since}`), passed, ' Retrying …');
  };
  everySecond(signal, draw);
  signal.addEventListener('abort', () => (banner.hidden = true));
  draw();
  return {
    /** Called for each response of the service, and for each part of the stream. */
    touch() {
      lastMs = Date.now();
    },
    /** Called when the stream opens and when it breaks. */
    connect(is: boolean) {
      isConnected = is;
      draw();
    },
    /** Shows why there will be no stream. */
    refuse(reason: string) {
      refusal = reason;
      draw();
    },
  };
}

const secondsPerDay = 86_400;

/** Shows the calls of the month against the quota of the account. */
export function showUsage(place: HTMLElement, { known, month }: Service['usage']): void {
  place.hidden = !known;
  if (!month) return show(place, 'No monthly quota');
  const share = month.used / month.quota;
  const text = `${month.used.toLocaleString('en')} of ${count(month.quota, 'call')} of this month`;
  show(place, h('span', text), bar('Calls of this month', share, { class: share > 0.8 && 'failed' }));
  const days = count(Math.ceil(month.resetSeconds / secondsPerDay), 'day');
  place.title = `The next month starts in ${days}.`;
}
