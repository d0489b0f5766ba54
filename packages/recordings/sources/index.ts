import type { components } from '../../../generated/api.js';
import { appleShortcuts } from './apple-shortcuts.js';
import { generic } from './generic.js';
import { healthAutoExport } from './health-auto-export.js';
import { healthConnect } from './health-connect.js';
import type { Source } from './source.js';

/** The apps that post by themselves, by their name in the contract. */
export const sources: Readonly<Record<components['schemas']['Source'], Source>> = {
  health_auto_export: healthAutoExport,
  health_connect: healthConnect,
  apple_shortcuts: appleShortcuts,
  generic,
};
