import fc from 'fast-check';
import { afterAll } from 'vitest';
import { undoAtEndOfFile } from './at-end-of-file.js';

// This module runs before every test file. Other modules run once per worker, because the files of a worker share
// modules.
afterAll(undoAtEndOfFile);

// The same random cases in each run, so that a run can be repeated. TEST_SEED=N tries other cases.
fc.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 1) });
