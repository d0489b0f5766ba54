import { buildDashboard } from './build.js';

// This file is bundled into dist/ before it runs, so that a deployment requires no TypeScript.
await buildDashboard(new URL('../', import.meta.url));
