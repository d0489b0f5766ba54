import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import contract from '../../../generated/openapi.json' with { type: 'json' };
import { guideCode } from '../../../testkit/guide-code.js';
import { runPython } from '../../../testkit/python.js';
import { root, startTestService } from '../../../testkit/service.js';
import { temporaryFolder } from '../../../testkit/temporary-folder.js';

const client = fileURLToPath(new URL('packages/client-python', root));
const limitMs = 300_000;

test(
  'the Python client and its tests are typed in strict mode',
  async () => {
    expect(await runPython(['-m', 'mypy', '--cache-dir', await temporaryFolder()], client)).toContain(
      'no issues found',
    );
  },
  limitMs,
);

test(
  'the wheel and the sdist contain the types, and the lines of the guide run with the wheel',
  async () => {
    const folder = await temporaryFolder();
    await runPython(['-m', 'build', '--no-isolation', '--skip-dependency-check', '--outdir', folder], client);
    const [wheel, sdist] = [
      join(folder, `realtime_state_client-${contract.info.version}-py3-none-any.whl`),
      join(folder, `realtime_state_client-${contract.info.version}.tar.gz`),
    ];
    expect(await runPython(['-m', 'zipfile', '--list', wheel], folder)).toContain('realtime_state_client/py.typed');
    expect(await runPython(['-m', 'tarfile', '--list', sdist], folder)).toContain('tests/journeys.py');
    const { url, key } = await startTestService();
    const code = await guideCode('docs/getting-started.md', 'from realtime_state_client');
    const env = { PYTHONPATH: wheel, SERVICE_URL: url, SERVICE_KEY: key };
    // A wheel without binaries can be imported without installation.
    expect(await runPython(['-c', code], folder, env)).toContain("'state': 'focused'");
  },
  limitMs,
);
