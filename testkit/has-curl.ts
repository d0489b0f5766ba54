import { spawnSync } from 'node:child_process';

/** Returns true if tests can run the commands of the guides. Some of them read JSON with jq. */
export function hasCurl(): boolean {
  return ['curl', 'jq'].every((it) => spawnSync(it, ['--version'], { stdio: 'ignore' }).status === 0);
}
