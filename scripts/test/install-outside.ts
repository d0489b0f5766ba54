/** `npm run install:outside`: installs the packages that only some tests and checks need. */
import { spawnSync } from 'node:child_process';
import { outsideFolders } from '../../testkit/outside.js';

for (const folder of [...outsideFolders, 'lab']) {
  console.log(`npm ci in ${folder}`);
  const { status } = spawnSync('npm', ['ci', '--silent'], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
