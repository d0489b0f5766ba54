#!/usr/bin/env node
// The command `state-service`. In a clone, it first builds what changed. Releases of Node.js that are too old must parse
// this file, so that dist/main.js can name the required one.
import { existsSync } from 'fs';

const builder = new URL('../scripts/build/build-changed.mjs', import.meta.url);
const name = process.argv[2] || 'serve';
const built = existsSync(builder)
  ? import(builder.href).then(({ buildChanged }) =>
      buildChanged('program', ...(['serve', '--demo', '--lan'].includes(name) ? ['documentation'] : [])),
    )
  : Promise.resolve();
void built.then(() => import('../dist/main.js'));
