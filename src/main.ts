#!/usr/bin/env node
import './cli/require-node.mjs';

// Imported after the check, because older releases cannot load it.
void import('./program.js');
