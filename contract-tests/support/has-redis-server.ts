import { spawnSync } from 'node:child_process';

/** Whether tests can start their own Redis. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}
