import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // An embedded database cannot be away: those tests are of MySQL alone.
    exclude: process.env['TEST_DATABASE'] === 'mysql' ? [] : ['**/*.mysql.test.ts'],
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
