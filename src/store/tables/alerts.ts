import { alerts } from '../../../generated/spec.js';
import { addAscii, addAsciiJson, type Tables } from './table.js';

const dayMs = 24 * 60 * 60 * 1000;

const ruleTime =
  '(select created_at_ms from alert_rules r where r.account_id = alert_people.account_id and r.alert_id = alert_people.alert_id)';

/** Alert rules, the people that they name, and their firings. */
export const alertTables: Tables = {
  alert_rules: {
    content: 'alert rules of the account',
    identifies: 'nobody',
    retention: 'until the rule is removed',
    erasure: 'no data of people',
    readBy: ['createAlertRule', 'listAlertRules'],
    about: {
      'account_id alert_id': 'account and rule',
      'watches_everyone created_at_ms': 'whether the rule watches all people of the account, and its time',
      body: 'condition, duration and quiet hours',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'alert_id', 32).notNullable();
      // 1 or 0. With 0, the rule watches the people in `alert_people`, which may be none.
      table.specificType('watches_everyone', 'smallint').notNullable();
      table.bigInteger('created_at_ms').notNullable();
      addAsciiJson(table, 'body').notNullable();
      table.primary(['account_id', 'alert_id']);
    },
  },
  alert_people: {
    content: 'people that an alert rule names',
    notice: 'Which rules notify others about you',
    identifies: 'person',
    retention: 'until the rule is removed',
    erasure: 'deleted',
    erasesBySubject: { time: ruleTime },
    readBy: ['createAlertRule', 'listAlertRules'],
    about: { 'account_id alert_id subject_id': 'account, rule and person' },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'alert_id', 32).notNullable();
      addAscii(table, 'subject_id', 256).notNullable();
      table.primary(['account_id', 'alert_id', 'subject_id']);
    },
    indexes: { alert_people_by_subject: ['account_id', 'subject_id'] },
  },
  // The key allows one firing per rule, person and hour. Each row is written in the transaction of its event.
  alert_firings: {
    content: 'times at which alert rules fired for a person',
    identifies: 'person',
    retention: `${alerts.firing_days} days`,
    expiry: { kind: 'alert firings', column: 'fired_at_ms', maxAgeMs: alerts.firing_days * dayMs },
    erasure: 'deleted',
    erasesBySubject: { batchKey: 'alert_id', time: 'fired_at_ms' },
    readBy: ['listAlertRules'],
    about: {
      'account_id alert_id subject_id': 'account, rule and person',
      'hour_ms fired_at_ms': 'hour and time of the firing',
    },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      addAscii(table, 'alert_id', 32).notNullable();
      addAscii(table, 'subject_id', 256).notNullable();
      table.bigInteger('hour_ms').notNullable();
      table.bigInteger('fired_at_ms').notNullable();
      table.primary(['account_id', 'alert_id', 'subject_id', 'hour_ms']);
    },
    indexes: {
      alert_firings_by_subject: ['account_id', 'subject_id', 'alert_id', 'fired_at_ms'],
      alert_firings_by_rule: ['account_id', 'alert_id', 'fired_at_ms'],
      alert_firings_by_time: ['fired_at_ms'],
    },
  },
  alert_lease: {
    content: 'the minute in which a process last looked for due alert rules',
    identifies: 'nobody',
    retention: 'without end',
    erasure: 'no data of people',
    readBy: [],
    about: { 'name minute_ms': 'internal name and time' },
    columns(table) {
      addAscii(table, 'name', 16).notNullable();
      table.bigInteger('minute_ms').notNullable();
      table.primary(['name']);
    },
  },
  // An account whose people must be found, because it has a new rule or receiver.
  alert_seeds: {
    content: 'accounts whose alert rules will be evaluated for all people with recent readings',
    identifies: 'nobody',
    retention: 'until the people are found',
    erasure: 'no data of people',
    readBy: [],
    about: { account_id: 'account', 'until_ms from_ms': 'times between which the readings are not searched yet' },
    columns(table) {
      addAscii(table, 'account_id', 32).notNullable();
      table.bigInteger('until_ms').notNullable();
      table.bigInteger('from_ms').notNullable();
      table.primary(['account_id']);
    },
  },
};
