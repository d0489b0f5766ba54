import { type Content, h } from '../../ui/dom.js';
import { nowMs } from '../../ui/clock.js';
import { downloadTable } from './download.js';
import { isUnknown, type Page } from './link.js';
import { card, createAction } from './parts.js';
import { t, type Text } from './texts.js';

/** Returns the card with what the person may do with all data. `onErased` runs when nothing is left. */
export function createRightsCard(page: Page, onWithdrawn: () => unknown, onErased: () => void): HTMLElement | false {
  const { client, me } = page;
  const download = createAction(t('download'), 'secondary', () => downloadTable(page));
  const withdraw = async () => {
    const event_time = new Date(nowMs()).toISOString();
    // The recorded context, unless the link does not show it.
    const { context } = await client.consent(me).catch(() => ({ context: 'personal' as const }));
    await client.putConsent(me, { categories: [], purposes: [], context, event_time });
    onWithdrawn();
    return t('withdrawn');
  };
  const erase = async () => {
    await client.deleteSubject(me);
    onErased();
    return t('erased');
  };
  const withdrawal = page.may('withdraw') && createConfirmed('withdraw', 'withdraw_text', 'withdraw_now', withdraw);
  if (withdrawal) void showIfRecorded(page, withdrawal);
  const parts: readonly Content[] = [
    page.may('read') && h('p', download.button, download.outcome),
    withdrawal,
    page.may('erase') && createConfirmed('erase_all', 'erase_text', 'erase_now', erase),
  ];
  return parts.some(Boolean) && card('rights', parts);
}

/** Hides a withdrawal while no consent is recorded. A link that does not show the consent shows the withdrawal. */
async function showIfRecorded({ client, me, signal }: Page, withdrawal: HTMLElement): Promise<void> {
  withdrawal.hidden = true;
  withdrawal.hidden = await client.consent(me, { signal }).then(() => false, isUnknown);
}

/** Returns a change that a second tap confirms. */
function createConfirmed(title: Text, text: Text, confirm: Text, run: () => Promise<string>) {
  const { button, outcome } = createAction(t(confirm), 'secondary.danger', run);
  return h('details', h('summary', t(title)), h('p', t(text)), button, outcome);
}
