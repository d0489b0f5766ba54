/** `npm run lab -- bench NAME`: measures the service under a named load. Without a name, compares it with other servers. */
import { Command } from 'commander';
import { launch } from '../../testkit/launch.js';
import { cpu } from './loads/cpu.js';
import { deliveries } from './loads/deliveries.js';
import { gateway } from './loads/gateway.js';
import { growth } from './loads/growth.js';
import { memory } from './loads/memory.js';
import { score } from './loads/score.js';
import { servers } from './loads/servers.js';
import { streams } from './loads/streams.js';

const bench = new Command('bench').description('Measures the service under a load. The default load is `servers`.');
bench.addCommand(servers, { isDefault: true });
for (const load of [cpu, deliveries, gateway, growth, memory, score, streams]) bench.addCommand(load);
await launch(bench);
