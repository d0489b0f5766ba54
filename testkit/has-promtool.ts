import { spawnSync } from 'node:child_process';

/** Returns true if tests can run promtool, the tool of Prometheus for rules. */
export function hasPromtool(): boolean {
  return spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0;
}
