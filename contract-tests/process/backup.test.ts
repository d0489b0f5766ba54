import { readdirSync } from 'node:fs';
import { appendFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeBackup } from '../../src/cli/backups/write-backup.js';
import { readConfig } from '../../src/config/config.js';
import { runHere } from '../../testkit/command-line.js';
import { databaseKind, settingsFor } from '../../testkit/databases.js';
import { runMain } from '../../testkit/process.js';
import { startReceiver } from '../../testkit/receiver.js';
import { migratedDatabase, temporaryDatabase } from '../../testkit/temporary-database.js';
import { temporaryFolder } from '../../testkit/temporary-folder.js';
import { startProcessWithKey, startWithKey } from './started.js';
import type { TestService } from '../../testkit/service.js';

const isSqlite = databaseKind === 'sqlite';

/**
 * Sends readings until `stop` is called. `stop` resolves with the sessions whose readings were acknowledged before
 * `mark`.
 */
function load({ ingest }: Pick<TestService, 'ingest'>) {
  const acknowledged: string[] = [];
  let marked = -1;
  let isStopped = false;
  const write = async (writer: number) => {
    for (let index = 0; !isStopped && index < 5_000; index += 1) {
      const session_id = `w${writer}-${index}`;
      if ((await ingest({ session_id, heart_rate: 70 })).status === 200) acknowledged.push(session_id);
    }
  };
  const writers = Promise.all([0, 1, 2, 3].map(write));
  return {
    acknowledged,
    mark: () => void (marked = acknowledged.length),
    async stop() {
      isStopped = true;
      await writers;
      return acknowledged.slice(0, marked);
    },
  };
}

async function restoreInto(url: string, file: string, secrets: Record<string, string>): Promise<void> {
  const restored = await runHere(['restore', file], { DATABASE_URL: url, ...secrets });
  expect(restored.code, restored.stderr).toBe(0);
}

/** Appends a byte to the backup, requires that the restore fails, and removes the byte. */
async function expectRejected(url: string, file: string, secrets: Record<string, string>): Promise<void> {
  const { size } = await stat(file);
  await appendFile(file, '\n');
  const restored = await runHere(['restore', file], { DATABASE_URL: url, ...secrets });
  expect(restored).toMatchObject({ code: 1, stderr: expect.stringContaining('it is damaged') });
  await truncate(file, size);
}

test('a backup under load contains keys, webhook secrets and every reading acknowledged before its start', async () => {
  const [from, to] = [await migratedDatabase(), await temporaryDatabase()];
  // A MySQL backup contains no key.
  const secrets: Record<string, string> = isSqlite ? {} : { SECRETS_KEY: 'k'.repeat(40) };
  const receiver = await startReceiver();
  const webhookEnv = { WEBHOOK_ALLOW_HTTP: '1', WEBHOOK_ALLOW_LOOPBACK: '1', ...secrets };
  const loaded = await startProcessWithKey({ DATABASE_URL: from.url, ...webhookEnv });
  const { body: webhook } = await loaded.post('/webhooks/register', { url: receiver.url, events: ['state_change'] });
  const traffic = load(loaded);
  await expect.poll(() => traffic.acknowledged.length).toBeGreaterThan(50);
  const file = join(await temporaryFolder(), 'copy.db');
  traffic.mark();
  const backup = await runMain(['backup', file], { DATABASE_URL: from.url, ...secrets });
  expect(backup.code, backup.stderr).toBe(0);
  const owed = await traffic.stop();
  await loaded.service.stop('SIGTERM');

  await expectRejected(to.url, file, secrets);
  await restoreInto(to.url, file, secrets);
  const restored = await startWithKey({ DATABASE_URL: to.url, ...webhookEnv, WORKER: '1' }, loaded.key);
  const found = await Promise.all(owed.map((id) => restored.request(`/v1/history?session_id=${id}&minutes=60`)));
  expect(owed.length).toBeGreaterThan(50);
  expect(found.map(({ body }) => body.datapoints?.length)).toEqual(owed.map(() => 1));
  // A delivery is only sent if its webhook's secret can be decrypted.
  expect((await restored.post(`/webhooks/${webhook.id}/test`)).status).toBe(202);
  await expect.poll(() => receiver.received.length).toBe(1);
});

test.runIf(isSqlite)(
  'a signal in the middle of a backup removes the unfinished file and ends the process',
  async () => {
    const config = readConfig(settingsFor((await migratedDatabase()).url));
    const folder = await temporaryFolder();
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    onTestFinished(() => exit.mockRestore());
    const writing = writeBackup(config, join(folder, 'copy.db'));
    expect(readdirSync(folder)).toHaveLength(1);
    process.listeners('SIGTERM').at(-1)?.('SIGTERM');
    expect(readdirSync(folder)).toEqual([]);
    expect(exit).toHaveBeenCalledWith(143);
    await writing.catch(() => undefined);
  },
);
