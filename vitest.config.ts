import { defineConfig } from 'vitest/config';
import { hasChromium } from './contract-tests/support/chromium.js';
import { hasRedisServer } from './contract-tests/support/has-redis-server.js';

const isMysql = process.env['TEST_DATABASE'] === 'mysql';

export default defineConfig({
  test: {
    exclude: [
      // An embedded database cannot be away: those tests are of MySQL alone.
      ...(isMysql ? [] : ['**/*.mysql.test.ts']),
      ...(hasRedisServer() ? [] : ['**/*.redis.test.ts']),
      ...(hasChromium() ? [] : ['**/*.browser.test.ts']),
      // What knows no database need not run on two.
      ...(isMysql ? ['src/**/*.test.ts', 'contract-tests/docs/**'] : []),
    ],
    include: ['src/**/*.test.ts', 'contract-tests/**/*.test.ts'],
    globalSetup: 'contract-tests/support/build.ts',
    // Generous, because the machines are slow and noisy; no test asserts a time.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Two cores; each worker talks to services and databases of its own.
    maxWorkers: 2,
    allowOnly: false,
  },
});
