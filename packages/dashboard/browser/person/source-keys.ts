import type { Device, SourceKey } from '../../../client/src/index.js';
import { h } from '../../../ui/dom.js';
import { dayAndMonth, timeOfDay, whenOf } from '../../../ui/format.js';
import { button } from '../../../ui/parts.js';
import { nowMs, type Service } from '../service.js';
import { openConfirmation } from '../webhooks/dialog.js';
import { nameApp } from './phone-apps.js';

/** Why samples are skipped, as a reader of the page needs it. `too_old` has its own sentence. */
const reasons: Readonly<Record<string, string>> = {
  not_read: 'other kinds of data',
  no_consent: 'no consent to heart data',
  no_heart_data: 'steps without a heart rate',
  other_device: 'a more accurate device measured, too',
  invalid: 'values or times that are not readable',
  rate: 'more than the service stores per hour',
};

/** Returns the row of a key: its app, what the newest post contained, and the button that revokes it. */
export function keyRow(key: SourceKey, onRevoke: (key: SourceKey) => void) {
  const { source, prefix, last_used_at: usedAt, expires_at, last_post: post } = key;
  const used = usedAt === null ? 'never used' : describeUse(Date.parse(usedAt), nowMs());
  const facts = [post?.device, `${prefix}…`, used, `ends ${dayAndMonth(Date.parse(expires_at))}`];
  const revoke = button('Revoke …', () => onRevoke(key), { 'aria-label': `Revoke ${nameApp(source)} ${prefix}` });
  return h(
    'li',
    { key: key.id },
    h('span.line.between', h('strong', nameApp(source)), revoke),
    h('span.hint', facts.filter((it) => it !== undefined).join(' · ')),
    h('p.hint', describeSkipped(key)),
  );
}

/** Returns the row of a device: its name, its newest reading, and the button that removes it. */
export function deviceRow(device: Device, onRemove: (device: Device) => void) {
  const { device_id, name, kind, last_reading_at: newest } = device;
  const sent = newest === null ? 'no reading' : `newest reading ${whenOf(Date.parse(newest), nowMs())}`;
  const remove = button('Remove …', () => onRemove(device), { 'aria-label': `Remove ${name}` });
  return h(
    'li',
    { key: device_id },
    h('span.line.between', h('strong', name), remove),
    h('span.hint', [kind, device_id, sent].join(' · ')),
  );
}

/** Returns when a key was used last, of which the service stores the hour. */
function describeUse(hourStartMs: number, now: number): string {
  const endMs = hourStartMs + 3_600_000;
  if (now < endMs) return 'used in the last hour';
  const isToday = new Date(hourStartMs).toDateString() === new Date(now).toDateString();
  const day = isToday ? '' : `${dayAndMonth(hourStartMs)}, `;
  return `last used ${day}${timeOfDay(hourStartMs)} to ${timeOfDay(endMs)}`;
}

/** Returns what of the newest post was not stored, and the remedy. Empty if all was stored. */
export function describeSkipped({ last_post: post }: SourceKey): string {
  const hours = post?.readings_hours;
  const known = (post?.skipped ?? []).flatMap((it) => reasons[it] ?? []);
  return [
    post && !post.usable && 'Nothing of the newest post is stored.',
    hours !== undefined &&
      `Samples older than the service keeps were skipped. Your operator can keep them: state-service accounts set ACCOUNT keep-readings ${hours}`,
    known.length > 0 && `Skipped: ${known.join(', ')}.`,
  ]
    .filter((it) => it)
    .join(' ');
}

/** Asks before it ends a key. */
export function openRevocation(service: Service, host: HTMLElement, key: SourceKey, onRevoked: () => void): void {
  const text = `${nameApp(key.source)} can send nothing with it anymore. Stored readings stay.`;
  openConfirmation(host, ['Revoke the key?', 'Revoke'], text, () => service.removeSourceKey(key.id).then(onRevoked));
}

/** Asks before it removes a device. */
export function openRemoval(service: Service, host: HTMLElement, device: Device, onRemoved: () => void): void {
  const text = `${device.name} can send nothing anymore. Stored readings stay.`;
  const remove = () => service.removeDevice(device.device_id).then(onRemoved);
  openConfirmation(host, ['Remove the device?', 'Remove'], text, remove);
}
