import type { Knex } from 'knex';
import { isMysql } from '../is-mysql.js';

/**
 * SQLite keeps rows in the order of their making and looks keys up beside them, unless it is told otherwise; InnoDB keeps
 * them by their key. A person's triggers then lie together, and a turn writes one page of them instead of several.
 */
export async function clusteredTriggers(knex: Knex): Promise<void> {
  if (isMysql(knex)) return;
  await knex.raw('alter table triggers rename to scattered_triggers');
  await knex.raw(
    `create table triggers (account_id varchar(32) not null, subject_id varchar(256) not null, topic varchar(64) not null,
       body text not null, primary key (account_id, subject_id, topic)) without rowid`,
  );
  await knex.raw('insert into triggers select * from scattered_triggers order by account_id, subject_id, topic');
  await knex.raw('drop table scattered_triggers');
}
