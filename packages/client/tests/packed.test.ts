import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import { guideCode } from '../../../testkit/guide-code.js';
import { startTestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
/** Allows for three runs of npm. */
const packedLimitMs = 240_000;
const quiet = ['--silent', '--ignore-scripts'];

const use = `
import { createStateClient, ProblemError, type State } from 'realtime-state-client';
import { verifyWebhook, WebhookVerificationError } from 'realtime-state-client/webhooks';
const [, , baseUrl = '', key = ''] = process.argv;
const client = createStateClient({ baseUrl, key });
const { state } = await client.ingest({ session_id: 's1', timestamp: new Date().toISOString(), tone: 'calm' });
const known: State = state;
const code = await client.triggers('none').catch((error: unknown) => (error instanceof ProblemError ? error.code : ''));
const isRefused = await verifyWebhook({ headers: {}, body: '', secret: 'whsec_' }).then(
  () => false,
  (error: unknown) => error instanceof WebhookVerificationError,
);
const { token } = await client.tokens.create({ session_id: 's1', scopes: ['read'] });
let streamed: State | undefined;
for await (const event of createStateClient({ baseUrl, token }).stream({ events: 'reading', lastEventId: '0' })) {
  streamed = event.data.state;
  break;
}
console.log(JSON.stringify({ known, code, isRefused, isStreamed: streamed === known }));
`;
const wrong = `
import { createStateClient } from 'realtime-state-client';
// @ts-expect-error there is no such tone
createStateClient({ baseUrl: '', key: '' }).ingest({ session_id: 's1', timestamp: '', tone: 'cheerful' });
// @ts-expect-error a token erases nothing
createStateClient({ baseUrl: '', token: '' }).deleteSubject('p1');
`;

/** Returns the size of the package that the README states, in kB. */
async function readPackedSize(): Promise<number> {
  const readme = await readFile(join(root, 'packages', 'client', 'README.md'), 'utf8');
  return Number(/creates a package of (\d+) kB/.exec(readme)?.[1]);
}

test(
  'the packed client installs into an empty project, compiles in strict mode, and runs the lines of the guide',
  async () => {
    const folder = await temporaryFolder();
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(root, 'packages', 'client') });
    const packed = await stat(join(folder, `realtime-state-client-${contract.info.version}.tgz`));
    // Every change of the contract changes the size a little.
    expect(Math.abs((await readPackedSize()) * 1000 - packed.size)).toBeLessThan(packed.size / 10);
    // Installs without a registry: the client's dependencies are packed from this project's node_modules.
    const names = ['eventsource-parser', 'openapi-fetch', 'openapi-typescript-helpers'];
    const dependencies = names.map((it) => join(root, 'node_modules', it));
    await run('npm', ['pack', ...quiet, '--pack-destination', folder, ...dependencies]);
    const compilerOptions = {
      ...{ strict: true, target: 'ES2022', module: 'NodeNext', lib: ['ES2023', 'DOM'], types: ['node'] },
      typeRoots: [join(root, 'node_modules', '@types')],
    };
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }');
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await writeFile(join(folder, 'use.ts'), use);
    await writeFile(join(folder, 'wrong.ts'), wrong);
    await run('sh', ['-c', `npm install --offline --no-audit --no-fund ${quiet.join(' ')} ./*.tgz`], { cwd: folder });
    await run(join(root, 'node_modules', '.bin', 'tsc'), ['--project', folder]);
    // Started last: its clock stands still, and packing takes long.
    const { url, key } = await startTestService();
    const { stdout } = await run(process.execPath, ['use.js', url, key], { cwd: folder });
    const expected = { known: expect.any(String), code: 'subject_not_found', isRefused: true, isStreamed: true };
    expect(JSON.parse(stdout)).toEqual(expected);
    await writeFile(
      join(folder, 'first.js'),
      await guideCode('docs/getting-started.md', "from 'realtime-state-client'"),
    );
    const env = { SERVICE_URL: url, SERVICE_KEY: key };
    expect((await run(process.execPath, ['first.js'], { cwd: folder, env })).stdout).toContain("state: 'focused'");
  },
  packedLimitMs,
);
