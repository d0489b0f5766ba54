import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.js';
import { variables } from '../../src/config/variables.js';
import { root, startTestService } from '../../testkit/service.js';

const file = (name: string) => readFile(new URL(`examples/operations/${name}`, root), 'utf8');
const namesIn = (expression: string) =>
  [...expression.matchAll(/\b[a-z]+(?:_[a-z0-9]+)+\b/g)].map(([name]) => name).filter((it) => !isFunction.test(it));
const isFunction = /^(histogram_quantile|state_service)$/;

interface Rule {
  readonly alert: string;
  readonly expr: string;
}

async function readRules(): Promise<Rule[]> {
  return parse(await file('alerts.yaml')).groups[0].rules;
}

interface RuleTest {
  readonly alert_rule_test: ReadonlyArray<{ readonly alertname: string; readonly exp_alerts?: readonly object[] }>;
}

test('alerts.test.yaml makes every alert fire', async () => {
  const tests: RuleTest[] = parse(await file('alerts.test.yaml')).tests;
  const firing = tests.flatMap((it) => it.alert_rule_test).filter(({ exp_alerts: alerts = [] }) => alerts.length > 0);
  const names = new Set(firing.map(({ alertname }) => alertname));
  expect([...names]).toEqual((await readRules()).map(({ alert }) => alert));
});

test('every metric of the alert rules and the Grafana dashboard is in a scrape of a service that delivers', async () => {
  const options = { METRICS_PORT: '0', WORKER: '1', BACKUP_STATUS_FILE: '/nonexistent/status.json' };
  // Redis need not respond.
  const service = await startTestService({ env: { ...options, REDIS_URL: 'redis://127.0.0.1:1' } });
  await service.read({ heart_rate: 80 });
  const scrape = await (await fetch(service.metricsUrl ?? '')).text();
  const rules = await readRules();
  const panels: Array<{ targets: Array<{ expr: string }> }> = JSON.parse(await file('grafana-dashboard.json')).panels;
  const expressions = [...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr);
  const names = new Set(expressions.flatMap(namesIn));
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !scrape.includes(`# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `))).toEqual(
    [],
  );
});

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly args: readonly string[];
  readonly env: ReadonlyArray<{ readonly name: string; readonly value: string }>;
  readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>;
  readonly volumeMounts: ReadonlyArray<{ readonly name: string; readonly mountPath: string }>;
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: ReturnType<JSON['parse']>;
}

async function readManifests(kind: string): Promise<Manifest[]> {
  const documents = parseAllDocuments(await file('kubernetes.yaml'));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  return documents.map((it): Manifest => it.toJS()).filter((it) => it.kind === kind);
}

test('the pods of Kubernetes have time for a shutdown, known settings, and probes of the service or of metrics', async () => {
  const deployments = await readManifests('Deployment');
  expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['state-service', 'state-service-worker']);
  for (const { spec } of deployments) {
    const pod = spec.template.spec;
    const container: Container = pod.containers[0];
    expect(['serve', 'deliver']).toContain(container.args[0]);
    const settings = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));
    expect(Object.keys(settings).filter((name) => !(name in variables))).toEqual([]);
    const delaySeconds = Number(settings['SHUTDOWN_DELAY_SECONDS'] ?? 5);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(delaySeconds + 10);
    const ports = Object.fromEntries(container.ports.map(({ name, containerPort }) => [name, String(containerPort)]));
    const served = { http: settings['PORT'], metrics: settings['METRICS_PORT'] };
    expect(served).toMatchObject(ports);
    const folders = container.volumeMounts.map(({ mountPath }) => mountPath);
    if (container.args[0] === 'serve') expect(folders).toContain(dirname(settings['BACKUP_STATUS_FILE'] ?? ''));
    expect(container.volumeMounts.map(({ name }) => name)).toEqual(
      pod.volumes.map(({ name }: { name: string }) => name),
    );
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
    expect(probes.map((probe) => probe.httpGet.path)).toEqual(['/healthz', '/readyz', '/healthz']);
    for (const probe of probes) expect(Object.keys(ports)).toContain(probe.httpGet.port);
  }
});

test('the service and the disruption budgets of Kubernetes select the pods of a deployment', async () => {
  const deployments = await readManifests('Deployment');
  const budgets = await readManifests('PodDisruptionBudget');
  for (const { metadata, spec } of deployments) {
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    const budget = budgets.find((it) => it.metadata.name === metadata.name);
    expect(budget?.spec.selector.matchLabels).toEqual(spec.selector.matchLabels);
    // Otherwise, no node could be drained.
    expect(budget?.spec.minAvailable).toBeLessThan(spec.replicas);
  }
  const [service] = await readManifests('Service');
  expect(service?.spec.selector).toEqual(deployments[0]?.spec.selector.matchLabels);
});

test('compose.yaml has known settings, and the file with the time of the last backup is in a mounted folder', async () => {
  const { services } = parse(await file('compose.yaml'), { merge: true });
  for (const { environment, volumes } of [services.service, services.worker, services.backup]) {
    expect(Object.keys(environment).filter((name) => !(name in variables))).toEqual([]);
    const folders = volumes.map((it: string) => it.split(':')[1]);
    expect(folders).toContain(dirname(environment['BACKUP_STATUS_FILE']));
  }
});

test('the backups of compose and of Kubernetes write the file that the services read, to a folder of their own', async () => {
  const { services } = parse(await file('compose.yaml'), { merge: true });
  const { command, volumes } = services.backup;
  expect(command).toEqual(['backup', '--every', '6h', '--keep', '28', '--to', volumes[0].split(':')[1]]);
  // Without `:ro`.
  expect(services.service.volumes).toEqual([`${volumes[1]}:ro`]);
  const [job] = await readManifests('CronJob');
  const [container]: Container[] = job?.spec.jobTemplate.spec.template.spec.containers;
  const [backups, status] = container?.volumeMounts ?? [];
  expect(container?.args).toEqual(['backup', '--keep', '28', '--to', backups?.mountPath]);
  const [service] = await readManifests('Deployment');
  const [read] = service?.spec.template.spec.containers[0].volumeMounts ?? [];
  expect(read).toEqual({ ...status, readOnly: true });
  const setting = { name: 'BACKUP_STATUS_FILE', value: `${status?.mountPath}/status.json` };
  for (const { env } of [container as Container, service?.spec.template.spec.containers[0]])
    expect(env).toContainEqual(setting);
});

test('the commands in compose.yaml that create its secrets are run by a shell, and the service accepts the result', async () => {
  const [, command = ''] = /^# {3}(printf .+) > \.env$/m.exec(await file('compose.yaml')) ?? [];
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', command]);
  const [, key = '', password = ''] =
    /^SECRETS_KEY=([0-9a-f]{64})\nMARIADB_PASSWORD=([0-9a-f]{32})\n$/.exec(stdout) ?? [];
  expect(readConfig({ SECRETS_KEY: key }).secretsKeys).toEqual([key]);
  expect(password).not.toBe('');
});

test('docs/monitoring.md documents every metric of a scrape, and no other', async () => {
  const options = { METRICS_PORT: '0', WORKER: '1', BACKUP_STATUS_FILE: '/nonexistent/status.json' };
  const safety = { SAFETY_URL: 'http://127.0.0.1:1', REDIS_URL: 'redis://127.0.0.1:1' };
  const service = await startTestService({ env: { ...options, ...safety } });
  const scrape = await (await fetch(service.metricsUrl ?? '')).text();
  const own = [...scrape.matchAll(/^# TYPE (state_service_\S+) /gm)].map(([, name]) => name);
  const guide = await readFile(new URL('docs/monitoring.md', root), 'utf8');
  const rows = guide.split('\n').filter((line) => line.startsWith('| `state_service_'));
  const documented = rows.flatMap((row) => row.split(' | ')[0]?.match(/state_service_\w+/g) ?? []);
  expect(documented.sort()).toEqual(own.sort());
});
