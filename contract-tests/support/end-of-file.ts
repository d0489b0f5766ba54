import { afterAll } from 'vitest';
import { undoAtEndOfFile } from './at-end-of-file.js';

// Runs before every file, unlike what a module does when it is loaded: files of one worker share their modules.
afterAll(undoAtEndOfFile);
