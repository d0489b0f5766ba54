/**
 * Follows docs/cluster-runbook.md: runs its marked blocks of commands on three Galera nodes, two services and HAProxy,
 * all on loopback, while sessions send readings. Replaces a node, cuts the power of all nodes and of two of three. Exits
 * with 1 when a command fails, when an acknowledged reading is lost, or when `doctor` names another section of the page.
 */
import { Command } from 'commander';
import { printVerdict } from '../../testkit/verdict.js';
import { describeMachine, machineLine } from '../bench/support/machine.js';
import { launch } from '../../testkit/launch.js';
import { followRunbook } from './runbook/run.js';

await launch(
  new Command('check:runbook')
    .description('Follows the cluster runbook on three Galera nodes, two services and HAProxy.')
    .addHelpText('after', "\nRequires Debian's packages mariadb-server, galera-4, rsync, haproxy and curl.")
    .action(async () => {
      const sections = await followRunbook();
      const title = `cluster runbook, ${machineLine(describeMachine())}`;
      printVerdict(title, sections, 'The runbook works as written, and no acknowledged reading was lost.');
    }),
);
