import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { devices as settings } from '../../generated/spec.js';
import { findNewestReadingTime } from '../../packages/score/session.js';
import type { Schema } from '../contract/contract.js';
import { nameColumns, toColumns, unionAll } from './columns.js';
import type { ReadScope } from './scope.js';
import { readSession, type SessionRow } from './sessions.js';

/** A device of a person. */
export interface StoredDevice {
  readonly deviceId: string;
  readonly subjectId: string;
  /** Printable ASCII, 1 to 64 characters. */
  readonly name: string;
  readonly kind: Schema<'DeviceKind'>;
  /** Epoch ms. */
  readonly createdAtMs: number;
}

const columns = nameColumns('deviceId subjectId name kind createdAtMs');
/** The form of the ids that `createDeviceId` returns. */
export const deviceIdFormat = /^[a-z]{1,16}_[0-9a-f]{12}$/;

/** Returns a new id. It contains the kind, so that a reading names the kind of its device and no name. */
export function createDeviceId(kind: Schema<'DeviceKind'>): string {
  return `${kind}_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
}

/** The devices of one account. */
export function createDeviceTable({ knex, accountId }: ReadScope) {
  const mine = () => knex('devices').where({ account_id: accountId });
  return {
    /** Returns the devices of a person, newest first. */
    async list(subjectId: string): Promise<StoredDevice[]> {
      const order = ['created_at_ms', 'device_id'].map((column) => ({ column, order: 'desc' as const }));
      // Twice the maximum: rows from before an erasure may still be stored.
      const rows: StoredDevice[] = await mine()
        .where({ subject_id: subjectId })
        .orderBy(order)
        .limit(2 * settings.per_subject_max)
        .select(columns);
      return rows.map(decode);
    },

    /** Returns the person of a device or source key. Undefined for an unknown id, and for the connection of a hub. */
    async findOwner(deviceId: string): Promise<string | undefined> {
      const device = await mine().where({ device_id: deviceId }).first('subject_id');
      const key = { account_id: accountId, source_key_id: deviceId };
      const found = device ?? (await knex('source_keys').where(key).whereNotNull('subject_id').first('subject_id'));
      return found?.subject_id;
    },

    async insert(device: StoredDevice): Promise<void> {
      await knex('devices').insert({ account_id: accountId, ...toColumns(columns, device) });
    },

    /** Deletes a device. Returns false if there is none. */
    async remove(deviceId: string): Promise<boolean> {
      return (await mine().where({ device_id: deviceId }).delete()) > 0;
    },

    /** Returns the times of the newest readings of at most `per_subject_max` devices, in epoch ms. */
    async findNewestReadings(deviceIds: readonly string[]): Promise<Map<string, number>> {
      if (deviceIds.length === 0) return new Map();
      const queries = deviceIds.map((id) =>
        knex('sessions')
          .where({ account_id: accountId })
          .whereBetween('session_id', [`${id}-`, `${id}-~`])
          .whereNotNull('body')
          .orderBy('session_id', 'desc')
          .limit(1)
          .select('session_id', 'subject_id', 'body'),
      );
      const rows: SessionRow[] = await unionAll(knex, queries);
      return new Map(
        rows.flatMap((row) => {
          const newestMs = findNewestReadingTime(readSession(row));
          return newestMs === undefined ? [] : [[row.session_id.slice(0, -'-2026-11-21'.length), newestMs] as const];
        }),
      );
    },
  };
}

/** The devices of all accounts. */
export function createDeviceLookup(knex: Knex) {
  return {
    /** Returns the devices of an account with these ids. */
    async byIds(accountId: string, deviceIds: readonly string[]): Promise<StoredDevice[]> {
      const rows = knex('devices').where({ account_id: accountId }).whereIn('device_id', deviceIds);
      const found: StoredDevice[] = await rows.select(columns);
      return found.map(decode);
    },
  };
}

/** MySQL and SQLite return numbers of 64 bits in different types. */
function decode(row: StoredDevice): StoredDevice {
  return { ...row, createdAtMs: Number(row.createdAtMs) };
}
