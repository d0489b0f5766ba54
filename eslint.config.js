import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/**
 * The modules that each folder or root file of src/ may import, in addition to itself and generated/. Imports are
 * one-directional (CONTRIBUTING.md).
 */
const mayImport = {
  contract: [],
  problem: ['contract'],
  similar: [],
  net: [],
  config: ['net', 'command-line', 'similar'],
  log: [],
  domain: ['contract'],
  store: ['domain', 'contract', 'config', 'concurrency'],
  lifecycle: ['store'],
  tracing: ['lifecycle'],
  concurrency: ['problem'],
  readings: ['limits', 'domain', 'store', 'contract', 'problem', 'concurrency', 'tracing'],
  tokens: ['store', 'contract'],
  accesses: ['store', 'contract'],
  accounts: ['command-line', 'config', 'tokens', 'store', 'contract', 'problem', 'concurrency'],
  retention: ['config', 'command-line', 'domain', 'concurrency', 'store'],
  delivery: ['store', 'contract', 'problem', 'concurrency', 'tracing', 'net'],
  redis: [],
  limits: ['redis', 'store', 'contract', 'problem', 'config', 'concurrency'],
  export: ['domain', 'store', 'limits', 'concurrency', 'contract', 'problem'],
  stream: ['domain', 'redis', 'store', 'limits', 'contract', 'problem'],
  operations: [
    ...['export', 'stream', 'readings', 'delivery', 'retention', 'tokens'],
    ...['limits', 'domain', 'store', 'contract', 'problem', 'similar'],
  ],
  mcp: ['operations', 'contract', 'problem', 'config'],
  http: ['mcp', 'operations', 'readings', 'limits', 'concurrency', 'contract', 'problem', 'similar', 'net'],
  terminal: ['contract'],
  remote: ['limits', 'contract', 'problem', 'store'],
  metrics: ['store', 'config', 'lifecycle', 'net'],
  core: [
    ...[
      'export',
      'stream',
      'accounts',
      'tokens',
      'accesses',
      'readings',
      'delivery',
      'operations',
      'limits',
      'retention',
      'domain',
      'store',
      'remote',
      'metrics',
    ],
    ...['contract', 'command-line', 'config', 'lifecycle', 'log'],
  ],
  compose: [
    ...[
      'core',
      'http',
      'operations',
      'export',
      'stream',
      'accounts',
      'tokens',
      'limits',
      'metrics',
      'domain',
      'store',
      'contract',
      'problem',
    ],
    ...['config', 'lifecycle', 'log'],
  ],
  'command-line': [],
  tools: ['terminal', 'contract', 'command-line'],
  gateway: ['config', 'net'],
  cli: [
    ...[
      'tools',
      'gateway',
      'mcp',
      'compose',
      'core',
      'accesses',
      'retention',
      'terminal',
      'accounts',
      'tokens',
      'delivery',
      'retention',
      'store',
      'contract',
      'similar',
      'config',
      'lifecycle',
      'log',
    ],
    ...['metrics', 'tracing', 'command-line'],
  ],
  main: ['program', 'require-node.mjs'],
  'require-node.mjs': [],
  program: ['cli', 'core', 'lifecycle', 'tracing'],
};
const rooms = Object.keys(mayImport);
const sources = readdirSync(new URL('src', import.meta.url)).filter((name) => !name.endsWith('.test.ts'));
const uncovered = sources.filter((name) => !rooms.includes(name.replace('.ts', '')));
if (uncovered.length > 0) throw new Error(`add src/${uncovered.join(', src/')} to mayImport in eslint.config.js`);

function layer([room, allowed]) {
  const isForbidden = (name) => name !== room && !allowed.includes(name);
  const group = [
    ...rooms.filter(isForbidden).map((name) => (sources.includes(`${name}.ts`) ? `**/${name}.js` : `**/${name}/**`)),
    ...(room === 'domain' ? ['node:*', '**/openapi.json'] : []),
  ];
  const message = `${room} may import ${[...allowed, 'generated'].join(', ')} only: see CONTRIBUTING.md`;
  const privately = {
    regex: '/clients/typescript/src/(?!(index|webhooks)\\.js$)',
    message: 'Import the public entry points of the client.',
  };
  return {
    files: [`src/${room}/**/*.ts`, `src/${room}.ts`],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }, privately] }] },
  };
}

export default tseslint.config(
  {
    ignores: ['**/dist/', 'reports/', 'node_modules/', 'contract-tests/dredd/hooks.cjs'],
  },
  tseslint.configs.recommended,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: [
            'eslint.config.js',
            'contract-tests/process/core-preload.mjs',
            'scripts/build/build.mjs',
            'src/cli/require-node.mjs',
          ],
        },
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Express's types are extended by a declaration in their namespace.
      '@typescript-eslint/no-namespace': ['error', { allowDeclarations: true }],
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: "MemberExpression[object.name='AbortSignal'][property.name='any']",
          message: 'Node may garbage-collect a timeout in it before it fires (nodejs/node#57736): use startTimeLimit',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/program.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only program.ts reads the environment.' },
        { object: 'URL', property: 'canParse', message: 'Wrong in Node 20 and 22: see parse-url.ts.' },
      ],
    },
  },
  {
    // These files import clients that `npm run sdk:check` generates and compiles in another folder.
    files: ['scripts/contract/sdk-check/stories/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  ...Object.entries(mayImport).map(layer),
  {
    files: ['testkit/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '/scripts/|\\.test\\.js$|^\\.\\./(?!\\.\\./(src|generated|clients)/)',
              message: 'Scripts and tests import testkit, and testkit imports neither.',
            },
          ],
        },
      ],
    },
  },
);
