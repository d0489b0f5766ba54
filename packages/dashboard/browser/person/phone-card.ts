import type { Device, SourceKey, SourceKeyList } from '../../../client/src/index.js';
import { type Content, h, show } from '../../../ui/dom.js';
import { timeOfDay } from '../../../ui/format.js';
import { card, createField, createSelect, createStatus } from '../../../ui/parts.js';
import { createPart, everySecond, nowMs, pauseOf, reasonOf, type Service } from '../service.js';
import { timeZone } from '../../../sentence/calendar.js';
import { createSetup, listApps, nameApp, needsZone } from './phone-apps.js';
import { describeSkipped, deviceRow, keyRow, openRemoval, openRevocation } from './source-keys.js';

/** The key is shown this long. */
const shownMs = 120_000;
/** The page waits this long for the first sample, and asks the service in these steps. */
const [waitMs, askMs] = [900_000, 3_000];

/** Returns the card that connects an app of the person, and lists the devices and the keys of the connected apps. */
export function createPhoneCard(service: Service, subjectId: string, signal: AbortSignal, onArrived: () => void) {
  const app = createSelect(listApps(), { onchange: () => (zone.element.hidden = !needsZone(app.value)) });
  const zoneInput = h('input', { type: 'text', value: timeZone(), autocomplete: 'off' });
  const zone = createField('Time zone of the phone', zoneInput, 'The app sends local times.');
  const submit = h('button.primary', { type: 'submit' }, 'Connect');
  const [outcome, setup, rows] = [createStatus('p.notice'), h('div', { hidden: true }), h('ul.list')];
  let publicUrl = '';
  /** Ends the previous code when another one is shown. */
  let shown = createPart(signal);

  const load = async () => {
    const [list, devices] = await Promise.all([
      service.sourceKeys({ subject_id: subjectId }, { signal }),
      service.devices(subjectId, { signal }),
    ]);
    const keysById = new Map(list.source_keys.map((key) => [key.id, key]));
    const [problem, advice] = judgeUrl(list.public_url);
    publicUrl = list.public_url ?? '';
    outcome.say(problem || advice);
    form.hidden = problem !== '';
    const isConnected = list.source_keys.some((it) => it.last_post?.usable);
    show(submit, isConnected ? 'Connect another app' : 'Connect');
    submit.className = isConnected ? 'secondary' : 'primary';
    const toRow = (device: Device) => {
      const key = keysById.get(device.device_id);
      return key ? keyRow(key, revoke) : deviceRow(device, remove);
    };
    show(rows, ...devices.map(toRow));
    return list;
  };
  const reload = () => void load().catch((error: unknown) => signal.aborted || outcome.say(reasonOf(error)));
  const revoke = (key: SourceKey) => openRevocation(service, element, key, reload);
  const remove = (device: Device) => openRemoval(service, element, device, reload);
  const connect = async () => {
    const source = listApps().find(([name]) => name === app.value)?.[0] ?? 'generic';
    const zoned = needsZone(source) && { time_zone: zoneInput.value.trim() };
    const created = await service.createSourceKey({ subject_id: subjectId, source, ...zoned });
    shown.abort();
    shown = createPart(signal);
    const arrival = createArrival(service, created, load, onArrived, shown.signal);
    setup.hidden = false;
    setup.replaceChildren(arrival, createHiding(createSetup(source, publicUrl, created.key ?? ''), shown.signal));
    reload();
  };
  const onsubmit = (event: Event) => {
    event.preventDefault();
    submit.disabled = true;
    connect()
      .catch((error: unknown) => outcome.say(reasonOf(error), true))
      .finally(() => (submit.disabled = false));
  };
  zone.element.hidden = !needsZone(app.value);
  const form = h(
    'form',
    { hidden: true, novalidate: true, onsubmit },
    createField('App', app).element,
    zone.element,
    submit,
  );
  const element = card('Connect a phone', outcome.element, form, setup, rows);
  reload();
  return element;
}

/** Returns why no phone can reach the service, or what to consider. */
function judgeUrl(url: string | undefined): readonly [problem: string, advice: string] {
  const example = 'e.g. https://state.example.com, or http://192.168.1.20:8080 for phones in the same network';
  if (url === undefined)
    return [
      `To connect a phone, start the service with PUBLIC_URL, the URL at which the phone reaches it: ${example}.`,
      '',
    ];
  const isLoopback = /^https?:\/\/(localhost|127\.|\[::1\])/.test(url);
  return [
    '',
    isLoopback ? `Only this machine reaches PUBLIC_URL (${url}). A phone needs another one: ${example}.` : '',
  ];
}

/** Returns content with a secret, and removes it when its time is over. */
function createHiding(content: Content, signal: AbortSignal): HTMLElement {
  const untilMs = Date.now() + shownMs;
  const ended = createPart(signal);
  const rest = h('p.hint');
  const place = h('div', content, rest);
  const tick = () => {
    const seconds = Math.ceil((untilMs - Date.now()) / 1_000);
    if (seconds > 0) return show(rest, `For safety, the code and the key are hidden in ${seconds} s. They stay valid.`);
    ended.abort();
    place.replaceChildren(h('p.hint', 'The code and the key are hidden. Connect again for new ones.'));
  };
  everySecond(ended.signal, tick);
  tick();
  return place;
}

/** Returns a line that waits for the first sample of a key and then names its app and device. */
function createArrival(
  service: Service,
  key: SourceKey,
  load: () => Promise<SourceKeyList>,
  onArrived: () => void,
  signal: AbortSignal,
) {
  const line = h('p.live.line', { role: 'status' }, 'Waiting for the first sample …');
  const ended = createPart(signal);
  const startMs = performance.now();
  let askedMs = startMs;
  const finish = (text: string) => {
    ended.abort();
    show(line, text);
  };
  const ask = async () => {
    const found = (await load()).source_keys.find(({ id }) => id === key.id);
    if (!found) return finish('The key is revoked.');
    if (!found.last_post) return;
    if (!found.last_post.usable) return show(line, `The app reaches the service. ${describeSkipped(found)}`);
    line.classList.add('connected');
    const of = found.last_post.device === undefined ? '' : ` of ${found.last_post.device}`;
    finish(`Connected: ${nameApp(key.source)} sends samples${of}, seen at ${timeOfDay(nowMs())}.`);
    onArrived();
  };
  everySecond(ended.signal, () => {
    if (performance.now() - startMs > waitMs)
      return finish('Nothing has arrived. Check the app, and refresh this page.');
    if (document.hidden || performance.now() - askedMs < pauseOf(service, askMs)) return;
    askedMs = performance.now();
    // The next attempt may succeed.
    ask().catch(() => undefined);
  });
  return line;
}
