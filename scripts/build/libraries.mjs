import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = new URL('../../', import.meta.url);
const run = promisify(execFile);
const outputMax = 64 * 1024 ** 2;

/** Returns the manifests of the libraries that contain some of the bundled files, each with its folder. */
export async function readLibraries(files) {
  const folders = new Set(files.map((it) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(it)?.[1]).filter(Boolean));
  return Promise.all([...folders].sort().map(async (folder) => ({ ...(await readManifest(folder)), folder })));
}

/** Returns the names, versions and license texts of libraries. */
export async function describeLicenses(libraries) {
  const texts = libraries.map(async ({ name, version, license, folder }) => {
    const file = (await readdir(new URL(`${folder}/`, root))).find((it) => /^licen[cs]e/i.test(it));
    const text = file ? await readFile(new URL(`${folder}/${file}`, root), 'utf8') : `License: ${license}`;
    return `${name} ${version}\n${'-'.repeat(40)}\n${text.trim()}`;
  });
  return (await Promise.all(texts)).join('\n\n');
}

/** Returns the bundled libraries and the binaries that an installation adds, as a CycloneDX document in JSON. */
export async function describeComponents(libraries) {
  const { name, optionalDependencies } = await readManifest('.');
  const args = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
  const { stdout } = await run('npm', args, { cwd: fileURLToPath(root), maxBuffer: outputMax });
  const { metadata, components, dependencies, ...document } = JSON.parse(stdout);
  const service = metadata.component['bom-ref'];
  const shipped = new Set([
    ...libraries.map((it) => `${it.name}@${it.version}`),
    ...Object.entries(optionalDependencies).map(([binary, version]) => `${binary}@${version}`),
  ]);
  return JSON.stringify({
    ...document,
    metadata: { ...metadata, component: { ...metadata.component, name } },
    // npm marks bundled libraries as tools of the development.
    components: components.filter((it) => shipped.has(it['bom-ref'])).map(({ properties: _, ...it }) => it),
    dependencies: [
      { ref: service, dependsOn: [...shipped].sort() },
      ...dependencies
        .filter(({ ref }) => shipped.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((it) => shipped.has(it)) })),
    ],
  });
}

async function readManifest(folder) {
  return JSON.parse(await readFile(new URL(`${folder}/package.json`, root), 'utf8'));
}
