import { addAscii, type TableDefinition } from './table.js';

/** Devices of people, which send readings without naming a session. */
export const devices: TableDefinition = {
  content: 'devices of a person, which send readings under their own id',
  notice: 'Which of your devices send data, and their names',
  identifies: 'person',
  retention: 'until the device is removed',
  erasesBySubject: { time: 'created_at_ms' },
  erasure: 'deleted',
  readBy: ['createDevice', 'listDevices', 'getDevice'],
  about: {
    'account_id subject_id': 'account and person',
    device_id: 'id that the service creates: the kind and a random part',
    'name kind': 'name that people chose, and what the device is',
    created_at_ms: 'time of the creation',
  },
  columns(table) {
    addAscii(table, 'account_id', 32).notNullable();
    addAscii(table, 'device_id', 32).notNullable();
    addAscii(table, 'subject_id', 256).notNullable();
    addAscii(table, 'name', 64).notNullable();
    addAscii(table, 'kind', 16).notNullable();
    table.bigInteger('created_at_ms').notNullable();
    table.primary(['account_id', 'device_id']);
  },
  indexes: { devices_by_subject: ['account_id', 'subject_id', 'created_at_ms', 'device_id'] },
};
