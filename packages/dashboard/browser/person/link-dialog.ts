import { enums, personLinks as settings } from '../../../../generated/spec.js';
import type { Link } from '../../../client/src/index.js';
import { h } from '../../../ui/dom.js';
import { age, dayAndMonth } from '../../../ui/format.js';
import { button, createChecks, createField } from '../../../ui/parts.js';
import { qrCode } from './phone-apps.js';
import { nowMs, type Service } from '../service.js';
import { type Dialog, openConfirmation, openForm, showSecret } from '../webhooks/dialog.js';

const grants: Readonly<Record<Link['grants'][number], string>> = {
  read: 'See and export what is stored',
  feedback: 'Say how they feel',
  dispute: 'Say that a state is not right, if they may see it',
  correct: 'Remove a topic that is wrong, if they may see it',
  connect: 'Connect a phone and upload files',
  withdraw: 'Withdraw the consent',
  erase: 'Erase everything',
};

/** Asks what the page of a person may do, creates a link to it and shows its URL. Also ends links. */
export function openLinkDialog(service: Service, host: HTMLElement, subjectId: string, links: readonly Link[]): void {
  const granted = createChecks('With the link, the person may', enums.LinkGrant, grants, ['read', 'feedback']);
  const days = h('input', { type: 'number', min: 1, max: 90, value: settings.expires_in_days });
  const fields = { grants: granted, expires_in_days: createField('Valid for, in days', days) };
  const note = `Send this link to the person. It is shown once, and opens once, within ${settings.open_hours} hours.`;
  const onSubmit = async (dialog: Dialog) => {
    const request = { grants: granted.chosen(), expires_in_days: Number(days.value) };
    const { url = '' } = await service.createLink(subjectId, request);
    const code = h('p.setup', qrCode('Code for the link', url), 'Or scan the code with the camera of the phone.');
    showSecret(dialog, 'Link created', [note, code], 'Link', url);
  };
  const rows = links.map((link) => {
    const text = describeLink(link);
    const warning = `${text}. The keys of phones that were connected with it end, too. Stored readings stay.`;
    const end = () =>
      openConfirmation(host, ['End the link?', 'End'], warning, () =>
        service.removeLink(subjectId, link.id).then(() => row.remove()),
      );
    const row = h('li.line.between', h('span.hint', text), button('End …', end, { 'aria-label': `End: ${text}` }));
    return row;
  });
  const valid = rows.length > 0 && [h('h3', 'Links of this person'), h('ul.list', ...rows)];
  const content = [granted.element, fields.expires_in_days.element, valid];
  openForm(host, { title: 'Link for this person', content, fields, submitLabel: 'Create link', onSubmit });
}

function describeLink({ grants: granted, opened_at: opened, expires_at: end }: Link): string {
  const state = opened === null ? 'not opened yet' : `opened ${age(Date.parse(opened), nowMs())}`;
  return `${granted.join(', ')} · ${state} · ends ${dayAndMonth(Date.parse(end))}`;
}
