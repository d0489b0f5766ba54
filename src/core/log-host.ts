import type { Logger } from 'pino';
import type { HostEvent } from '../store/mysql-hosts.js';

/** Returns a function that logs which one of several database hosts is in use. Log lines contain no credentials. */
export function createHostLog(log: Logger): (event: HostEvent) => void {
  return ({ kind, ...event }) => {
    if (kind === 'selected') log.info(event, 'database host selected');
    else if (kind === 'usable again') log.info(event, 'database host usable again');
    else if (kind === 'changed') log.warn(event, 'database host changed');
    else log.error(event, 'no database host is usable');
  };
}
