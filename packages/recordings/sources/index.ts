import type { components } from '../../../generated/api.js';
import type { sources as settings } from '../../../generated/spec.js';
import { appleShortcuts } from './apple-shortcuts.js';
import { generic } from './generic.js';
import { healthAutoExport } from './health-auto-export.js';
import { healthConnect } from './health-connect.js';
import { junction } from './junction.js';
import { openWearables } from './open-wearables.js';
import type { Hub, Source } from './source.js';
import { terra } from './terra.js';

type SourceName = components['schemas']['Source'];

const hubs: Readonly<Record<(typeof settings.hubs)[number], Hub>> = { open_wearables: openWearables, terra, junction };

/** The apps and hubs that post by themselves, by their name in the contract. */
export const sources: Readonly<Record<SourceName, Source>> = {
  ...hubs,
  health_auto_export: healthAutoExport,
  health_connect: healthConnect,
  apple_shortcuts: appleShortcuts,
  generic,
};

/** Returns a hub. Undefined for an app of one person. */
export function findHub(name: SourceName): Hub | undefined {
  return (hubs as Readonly<Partial<Record<SourceName, Hub>>>)[name];
}
