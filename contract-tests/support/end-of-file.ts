import { afterAll } from 'vitest';
import { undoAtEndOfFile } from './at-end-of-file.js';

// Runs before every file. Module code runs once per worker, because the files of a worker share modules.
afterAll(undoAtEndOfFile);
