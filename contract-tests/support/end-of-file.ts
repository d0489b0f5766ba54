import { afterAll } from 'vitest';
import { undoAtEndOfFile } from './at-end-of-file.js';

// This module runs before every test file. Other modules run once per worker, because the files of a worker share
// modules.
afterAll(undoAtEndOfFile);
