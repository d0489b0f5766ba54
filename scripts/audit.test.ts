import { expect, test } from 'vitest';
import { findAdvisories } from './audit.js';

test('an audit names advisories about shipped libraries in their shipped version, and no others', () => {
  const advisory = { title: 'Prototype pollution', severity: 'high', url: 'https://example.com/1' };
  const vulnerabilities = {
    // The shipped version, and an earlier one of a tool.
    qs: { name: 'qs', via: [advisory], nodes: ['node_modules/qs', 'node_modules/dredd/node_modules/qs'] },
    express: { name: 'express', via: ['qs'], nodes: ['node_modules/express'] },
    dredd: { name: 'dredd', via: [advisory], nodes: ['node_modules/dredd'] },
  };
  const packages = {
    'node_modules/qs': { version: '6.14.1' },
    'node_modules/dredd/node_modules/qs': { version: '6.5.0' },
    'node_modules/express': { version: '5.3.0' },
    'node_modules/dredd': { version: '14.1.0' },
  };
  const shipped = new Set(['qs@6.14.1', 'express@5.3.0']);
  expect(findAdvisories({ vulnerabilities }, { packages }, shipped)).toEqual([
    'qs@6.14.1 high: Prototype pollution (https://example.com/1)',
  ]);
  expect(findAdvisories({ message: '405 Method Not Allowed' }, { packages }, shipped)).toEqual([]);
});
