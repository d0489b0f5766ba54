import { defineConfig } from 'vitest/config';
import { hasChromium } from './contract-tests/support/chromium.js';
import { hasRedisServer } from './contract-tests/support/has-redis-server.js';

const isMysql = process.env['TEST_DATABASE'] === 'mysql';
/** What knows no database, or only ever an embedded one, need not run on two. */
const onceOnly = [
  'src/**',
  'contract-tests/{client,contract,docs,dredd}/**',
  'contract-tests/commands/!(*.mysql.*)',
  'contract-tests/delivery/example-receivers.test.ts',
  'contract-tests/hostile/slow-senders.test.ts',
  'contract-tests/limits/!(*.mysql).redis.test.ts',
  'contract-tests/process/{interrupt,log-output,start,tracing}.test.ts',
  'contract-tests/{deleteSubject/bytes,ingest/503-disk,store/locked,store/outages}.test.ts',
];

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'contract-tests/**/*.test.ts'],
    exclude: [
      // An embedded database cannot be away, nor can replicas share one well: those tests are of MySQL alone.
      ...(isMysql ? onceOnly : ['**/*.mysql.*']),
      ...(hasRedisServer() ? [] : ['**/*.redis.*']),
      ...(hasChromium() ? [] : ['**/*.browser.*']),
    ],
    globalSetup: 'contract-tests/support/build.ts',
    setupFiles: 'contract-tests/support/end-of-file.ts',
    // Files of one worker share the modules, which take longer to load than most files take to run; not the services.
    isolate: false,
    // Generous, because the machines are slow and noisy; no test asserts a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores; each worker talks to services and databases of its own.
    maxWorkers: 2,
    allowOnly: false,
  },
});
