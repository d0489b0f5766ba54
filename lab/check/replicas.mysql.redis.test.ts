import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mysqlServerUrl } from '../../testkit/databases.js';
import { runScript } from '../../testkit/process.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';

/** Time limit, ms. The process starts take up to this time on a busy machine. */
const limitMs = 240_000;

test(
  'two processes on one MySQL and one Redis neither lose nor duplicate nor reorder readings and events',
  async () => {
    const reports = await temporaryFolder();
    const small = ['--sessions', '6', '--readings', '12', '--seconds', '1', '--warm-up', '1', '--rounds', '1'];
    const { code, stdout, stderr } = await runScript('lab/check/replicas', [...small, '--reports', reports], {
      TEST_MYSQL_URL: mysqlServerUrl,
    });
    expect(stderr).toContain('72/72 readings');
    expect(stdout, stderr).toMatch(/^readings acknowledged +72$/m);
    expect(stdout).toMatch(/^ {2}lost +0 +0$/m);
    expect(stdout).toMatch(/^ {2}admitted requests per window +120 +120$/m);
    expect(stdout).toContain('Nothing was lost, duplicated or out of order, and the limit is shared.');
    expect(stdout).toMatch(/^2 processes accept (\d+\.\d\d|–) × the readings per second of one process\.$/m);
    const report = JSON.parse(await readFile(join(reports, 'check-replicas.json'), 'utf8'));
    expect(report).toMatchObject({
      processes: 2,
      acknowledged: 72,
      faults: { lost: 0, doubled: 0 },
      events: { lost: 0 },
    });
    expect(report.lostHosts).toEqual([
      expect.objectContaining({ loss: 'frozen', seconds: expect.any(Number), lost: 0 }),
      expect.objectContaining({ loss: 'vanished', seconds: expect.any(Number), lost: 0 }),
    ]);
    expect(report.events.acknowledged).toBeGreaterThan(0);
    expect(Object.keys(report.runs)).toEqual(['one', 'all']);
    expect(code).toBe(0);
  },
  limitMs,
);
