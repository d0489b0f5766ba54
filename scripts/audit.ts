/**
 * `npm run audit`: lists the known vulnerabilities of the libraries in the package, after `npm pack`. npm also reports
 * those of tools, which the package does not contain. Exits with 1 if there are any, and with 0 if npm gets no report.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

interface Report {
  readonly message?: string;
  readonly vulnerabilities?: Readonly<Record<string, Vulnerability>>;
}
interface Vulnerability {
  readonly name: string;
  /** Advisories, and names of vulnerable libraries that this one uses. */
  readonly via: ReadonlyArray<string | { readonly title: string; readonly severity: string; readonly url: string }>;
  /** Folders with a vulnerable version. */
  readonly nodes: readonly string[];
}
interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string }>>;
}

/** Returns a line per advisory about a shipped library, e.g. `knex@3.3.0`. */
export function findAdvisories({ vulnerabilities = {} }: Report, { packages }: Lock, shipped: ReadonlySet<string>) {
  return Object.values(vulnerabilities).flatMap(({ name, via, nodes }) => {
    const found = [...new Set(nodes.map((it) => `${name}@${packages[it]?.version}`))].filter((it) => shipped.has(it));
    const advisories = via.filter((it) => typeof it !== 'string');
    return found.flatMap((it) => advisories.map(({ title, severity, url }) => `${it} ${severity}: ${title} (${url})`));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = new URL('../', import.meta.url);
  const read = (name: string) => JSON.parse(readFileSync(new URL(name, root), 'utf8'));
  const list = 'dist/sbom.cdx.json';
  if (!existsSync(new URL(list, root))) {
    console.error(`${list} is missing: run npm pack first`);
    process.exit(1);
  }
  const shipped = new Set<string>(read(list).components.map((it: { 'bom-ref': string }) => it['bom-ref']));
  const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: fileURLToPath(root), encoding: 'utf8' });
  const report: Report = JSON.parse(stdout || '{}');
  const advisories = findAdvisories(report, read('package-lock.json'), shipped);
  for (const line of advisories) console.log(line);
  if (report.vulnerabilities) console.log(`${shipped.size} libraries in the package, ${advisories.length} advisories`);
  else
    console.log(`${shipped.size} libraries in the package were not checked: ${report.message ?? 'npm sent no report'}`);
  process.exitCode = advisories.length > 0 ? 1 : 0;
}
