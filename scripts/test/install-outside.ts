/** `npm run install:outside`: installs the packages that only some tests and checks need. */
import { spawn } from 'node:child_process';
import { outsideFolders } from '../../testkit/outside.js';

for (const cwd of [...outsideFolders, 'lab'])
  spawn('npm', ['ci', '--silent'], { cwd, stdio: 'inherit' }).once('close', (code) => {
    console.log(`npm ci in ${cwd}: ${code === 0 ? 'done' : 'failed'}`);
    if (code !== 0) process.exitCode = 1;
  });
