import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, finding } from './finding.js';

/**
 * Maximum difference between the clock of this machine and that of a server, ms. Each process compares the timestamps of
 * readings and the expiry of keys with its own clock.
 */
const differenceMaxMs = 2_000;
const commandMs = 3_000;

/** Compares the clock of this machine with a server's clock. `read` returns the server's time, epoch ms. */
export async function compareClock(server: string, read: () => Promise<number>): Promise<Finding> {
  const beforeMs = Date.now();
  const serverMs = await read();
  const afterMs = Date.now();
  // The server read its clock between the two.
  const aheadMs = beforeMs > serverMs ? beforeMs - serverMs : Math.min(0, afterMs - serverMs);
  const seconds = (Math.abs(aheadMs) / 1000).toFixed(1);
  const isFine = Math.abs(aheadMs) <= differenceMaxMs;
  const found = isFine
    ? `agrees with ${server}`
    : `${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the clock of ${server}`;
  return finding('clock', found, isFine, 'synchronize the clocks of both machines with NTP, e.g. chrony');
}

/** Checks whether the operating system synchronizes the clock, where no server's clock can be compared. */
export async function checkSynchronization(): Promise<Finding[]> {
  try {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    const { stdout } = await promisify(execFile)('timedatectl', args, { timeout: commandMs });
    const isSynchronized = stdout.trim() === 'yes';
    const found = isSynchronized ? 'synchronized with NTP' : 'not synchronized with NTP';
    return [finding('clock', found, isSynchronized, 'enable NTP, e.g. timedatectl set-ntp true')];
  } catch {
    return [{ what: 'clock', found: 'not checked: no MySQL, no Redis and no timedatectl on this machine' }];
  }
}
