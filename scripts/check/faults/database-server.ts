import mysql from 'mysql2/promise';
import { type PrivateMariadb, startPrivateMariadb } from '../../../contract-tests/support/mariadb.js';
import type { Scenario } from '../attacks/scenario.js';
import type { Stage } from '../attacks/stage.js';
import { freePorts } from '../../../contract-tests/support/fleet.js';

const database = 'faults';

/** The database server of each stage, by the URL of its database. */
const servers = new Map<string, PrivateMariadb>();

/** Starts a MariaDB server for one stage. The fault may stop and freeze it. */
export function setUpServer(options: readonly string[] = [], folder?: string): NonNullable<Scenario['setUp']> {
  return async (defer) => {
    const [port = 0] = await freePorts(1);
    const server = await startPrivateMariadb(port, options, folder);
    defer(server.remove);
    const connection = await mysql.createConnection({ uri: server.url });
    await connection.query(`create database ${database}`).finally(() => connection.end());
    const databaseUrl = `${server.url}/${database}`;
    servers.set(databaseUrl, server);
    return { databaseUrl };
  };
}

export function serverOf({ databaseUrl }: Stage): PrivateMariadb {
  const server = servers.get(databaseUrl);
  if (!server) throw new Error(`no server was started for ${databaseUrl}`);
  return server;
}
