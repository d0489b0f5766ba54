import { h, setText } from './dom.js';
import { whenOf } from './format.js';

export interface Contact {
  /** Called for each response of the service, and for each part of the stream. */
  touch(): void;
  /** Called when the stream opens and when it breaks. */
  connect(isConnected: boolean): void;
  /** Shows why there will be no stream. */
  refuse(reason: string): void;
}

const tickMs = 1_000;
/** A stream that the service ends connects again within this time. */
const graceMs = 3_000;

/**
 * Shows whether the stream is connected, and since when the service has not responded. `isPast` returns true while the page
 * shows a session that has ended: its state is not live. Hides everything when the signal aborts.
 */
export function followContact(
  status: HTMLElement,
  banner: HTMLElement,
  isPast: () => boolean,
  signal: AbortSignal,
): Contact {
  let isConnected = false;
  const startMs = Date.now();
  let lastMs: number | undefined;
  const since = h('span', {});
  // Hidden from screen readers, because a change of the alert would be announced every second.
  const passed = h('span', { 'aria-hidden': 'true' });
  banner.replaceChildren(since, passed, ' Retrying …');

  const show = () => {
    if (signal.aborted) return;
    const silentMs = Date.now() - (lastMs ?? startMs);
    banner.hidden = isConnected || silentMs < graceMs;
    status.classList.toggle('connected', isConnected);
    setText(status, !isConnected ? 'Connecting …' : isPast() ? 'Connected' : 'Live');
    const named = lastMs === undefined ? '' : ` since ${whenOf(lastMs, Date.now())}`;
    setText(since, `No contact with the service${named}`);
    setText(passed, ` (${Math.floor(silentMs / 1_000)} s).`);
  };
  const timer = setInterval(show, tickMs);
  signal.addEventListener('abort', () => {
    clearInterval(timer);
    banner.hidden = true;
  });
  show();
  return {
    touch() {
      lastMs = Date.now();
    },
    connect(is) {
      isConnected = is;
      show();
    },
    refuse(reason) {
      clearInterval(timer);
      setText(status, 'Not live');
      banner.replaceChildren(`Readings do not appear live. ${reason}`);
      banner.hidden = false;
    },
  };
}
