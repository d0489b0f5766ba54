import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { adviseOnDatabase, adviseOnHost } from '../../../src/cli/advise.js';
import type { HostFitness } from '../../../src/store/inspect-host.js';
import { root } from '../../../testkit/service.js';

test('the cluster runbook has every section that doctor names', async () => {
  const page = await readFile(new URL('docs/cluster-runbook.md', root), 'utf8');
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
  const usable: HostFitness = { fitness: 'usable' };
  const broken = (['unreachable', 'no majority'] as const).map((fault): HostFitness => ({
    fitness: 'unusable',
    fault,
  }));
  const advice = [
    ...broken.flatMap((host) => [
      adviseOnHost(host, [host, usable]),
      adviseOnHost(host, [host]),
      adviseOnHost(host, broken),
    ]),
    adviseOnDatabase({ code: 'ER_UNKNOWN_COM_ERROR' }),
  ];
  const named = new Set(advice.flatMap((text) => /follow "([^"]+)"/.exec(text ?? '')?.[1] ?? []));
  expect(named).toEqual(new Set(['A node is lost', 'All nodes are down', 'No majority']));
  expect(headings).toEqual(expect.arrayContaining([...named]));
});
