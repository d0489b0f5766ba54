import { encode } from 'uqr';
import { sources } from '../../../recordings/sources/index.js';
import type { SourceKey } from '../../../client/src/index.js';
import { type Content, h, svg } from '../../../ui/dom.js';
import { createCopyable } from '../../../ui/parts.js';

type App = SourceKey['source'];
/** Names of all sources that the service reads. */
const known: Readonly<Record<string, { readonly name: string }>> = sources;

/** Apps that send local times without a zone. */
const zoneless: readonly string[] = ['apple_shortcuts', 'generic'];
/** What to do in the apps of one person. */
const steps: Readonly<Partial<Record<App, readonly string[]>>> = {
  health_auto_export: [
    'Install Health Auto Export.',
    'Scan the code with the camera of the iPhone, and save the automation that it opens. It sends yesterday and today, about every five minutes while the iPhone is unlocked.',
    'Add an automation for Workouts with the same URL and header, so that sport does not count as stress.',
  ],
  health_connect: [
    'In HC Webhook, add the URL as a webhook, with the header. Or scan the code for the URL with the key.',
  ],
  apple_shortcuts: [
    'In a shortcut, use “Get Contents of URL”: POST, the header, and JSON with type, dates and values of the samples.',
  ],
  generic: ['Send a POST with JSON, e.g. {"heart_rate": 72, "device": "Watch"}. A sample without a time is of now.'],
};
/** Metrics of Health Auto Export that the service reads, as the app names them. */
const metrics = 'Heart Rate,Heart Rate Variability,Respiratory Rate,Step Count';

export function listApps(): readonly (readonly [value: App, text: string])[] {
  return (Object.keys(steps) as App[]).map((name) => [name, nameApp(name)]);
}

/** Returns the name of an app. An app that this page does not know has its name of the contract. */
export function nameApp(source: App): string {
  return known[source]?.name ?? source;
}

export function needsZone(source: string): boolean {
  return zoneless.includes(source);
}

/** Returns what sets up an app: a code to scan, what to do, and values to copy. Contains the key. */
export function createSetup(source: App, publicUrl: string, key: string): Content {
  const url = `${publicUrl}/v1/sources/${source}`;
  const link = source === 'health_auto_export' ? createDeepLink(url, key) : `${url}/${key}`;
  const texts = steps[source] ?? [];
  const onPhone =
    source === 'health_auto_export' && h('p', h('a', { href: link }, 'Open Health Auto Export on this iPhone'));
  return h(
    'div.setup',
    qrCode(`Code for ${nameApp(source)}`, link),
    h(
      'div',
      texts.length > 1 ? h('ol', ...texts.map((it) => h('li', it))) : h('p', texts),
      onPhone,
      createCopyable('URL', url),
      createCopyable('Header X-Service-Key', key),
      createCopyable('URL with the key, for an app without headers', `${url}/${key}`),
    ),
  );
}

/** Returns the link that creates an automation in Health Auto Export. Encodes spaces as %20, because the app reads no `+`. */
export function createDeepLink(url: string, key: string): string {
  const parameters = {
    ...{ name: 'Real-time State', url, headers: `X-Service-Key,${key}`, format: 'json', datatype: 'healthMetrics' },
    ...{ metrics, exportversion: 'v2', syncinterval: 'minutes', syncquantity: '5', enabled: 'true' },
  };
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `com.HealthExport://automation?${query.join('&')}`;
}

/** Modules around a code that stay light. */
const quietModules = 4;

/** Returns a text as a code for the camera of a phone. */
export function qrCode(name: string, text: string): SVGElement {
  const { data, size } = encode(text, { border: quietModules });
  const dark = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')));
  const path = svg('path', { d: dark.join('') });
  return svg('svg.qr', { role: 'img', 'aria-label': name, viewBox: `0 0 ${size} ${size}` }, path);
}
