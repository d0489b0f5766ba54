import { afterAll } from 'vitest';
import { closeShared } from './service.js';

// Run before every file, unlike what a module does when it is loaded, which files of one worker share.
afterAll(closeShared);
