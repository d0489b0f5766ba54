import { spawnSync } from 'node:child_process';

/** Returns true if tests can start a Redis server. */
export function hasRedisServer(): boolean {
  return spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
}
