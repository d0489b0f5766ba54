import { expect, test } from 'vitest';
import type { HostFitness } from '../store/inspect-host.js';
import { adviseOnDatabase, adviseOnHost } from './advise.js';

const usable: HostFitness = { fitness: 'usable' };
const down: HostFitness = { fitness: 'unusable', fault: 'unreachable' };
const split: HostFitness = { fitness: 'unusable', fault: 'no majority' };
const standby: HostFitness = { fitness: 'unusable', fault: 'read-only' };
const donor: HostFitness = { fitness: 'reserve', fault: 'donor' };

test.each([
  ['a usable host', usable, [down], undefined],
  ['a standby of a usable host', standby, [usable], undefined],
  ['a read-only host without another one', standby, [down], /writable/],
  ['a lost node', down, [usable, usable], /start the server.*"A node is lost"/],
  ['a lost node while a donor serves', down, [donor], /start the server.*"A node is lost"/],
  ['a node without a majority while others serve', split, [usable], /network/],
  ['a node of a cluster that is down', down, [down, down], /"All nodes are down"/],
  ['a running node of a cluster without a majority', split, [down, down], /do not restart.*"No majority"/],
  ['a lost node of a cluster without a majority', down, [split, down], /start the server.*"No majority"/],
])('doctor has advice for %s', (_, host, others, advice) => {
  const given = adviseOnHost(host, [host, ...others]);
  if (advice === undefined) expect(given).toBeUndefined();
  else expect(given).toMatch(advice);
});

test('doctor never advises to restart or start a single node of a cluster without a majority first', () => {
  expect(adviseOnHost(split, [split, down, down])).not.toMatch(/^start/);
});

test.each([
  ['ER_ACCESS_DENIED_ERROR', /password/],
  ['ER_BAD_DB_ERROR', /create the database/],
  ['ER_UNKNOWN_COM_ERROR', /"No majority"/],
  ['ER_TABLEACCESS_DENIED_ERROR', /grant it SELECT, INSERT, UPDATE and DELETE/],
  ['SQLITE_CORRUPT', /damaged: restore a backup/],
  ['SQLITE_NOTADB', /not an SQLite database: correct the path/],
  ['ER_PARSE_ERROR', /^read the log of the database/],
  ['NO_USABLE_HOST', /hosts above/],
  ['SQLITE_BUSY', /locked/],
  ['SQLITE_CANTOPEN', /permissions/],
  ['ECONNREFUSED', /start the database server/],
])('doctor has advice for the error %s', (code, advice) => {
  expect(adviseOnDatabase(Object.assign(new Error(), { code }))).toMatch(advice);
});
