import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { root, startTestService } from '../support/service.js';

const file = (name: string) => readFile(new URL(`examples/operations/${name}`, root), 'utf8');
const namesIn = (expression: string) =>
  [...expression.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b/g)].map(([name]) => name).filter((it) => !isFunction.test(it));
const isFunction = /^(histogram_quantile|state_service)$/;

test('every metric of the alert rules and the Grafana dashboard is in a scrape of a service that delivers', async () => {
  const service = await startTestService({ env: { METRICS_PORT: '0', WORKER: '1' } });
  await service.read({ heart_rate: 80 });
  const scrape = await (await fetch(service.metricsUrl ?? '')).text();
  const rules: Array<{ expr: string }> = parse(await file('alerts.yaml')).groups[0].rules;
  const panels: Array<{ targets: Array<{ expr: string }> }> = JSON.parse(await file('grafana-dashboard.json')).panels;
  expect(rules).toHaveLength(7);
  const expressions = [...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
  const names = new Set(expressions.flatMap(namesIn));
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !scrape.includes(`# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `))).toEqual(
    [],
  );
});
