import tseslint from 'typescript-eslint';

/** What each room of src/ may import besides itself and generated/; the arrows point one way (CONTRIBUTING.md). */
const mayImport = {
  domain: ['contract'],
  store: ['domain', 'contract', 'config'],
  ingest: ['domain', 'store', 'contract', 'problem', 'group-commit', 'in-span'],
  accounts: ['store', 'contract', 'problem', 'group-commit'],
  retention: ['store'],
  delivery: ['store', 'contract', 'problem', 'group-commit', 'in-span', 'parse-url'],
  limits: ['store', 'contract', 'problem', 'config', 'group-commit'],
  operations: ['ingest', 'delivery', 'limits', 'retention', 'domain', 'store', 'contract', 'problem'],
  http: ['contract', 'problem', 'operations', 'limits', 'parse-url'],
  remote: ['limits', 'contract', 'problem'],
  core: [
    ...['accounts', 'ingest', 'delivery', 'operations', 'limits', 'retention', 'domain', 'store', 'remote'],
    ...['contract', 'config', 'secrets', 'closing', 'log'],
  ],
  cli: ['accounts', 'core', 'store', 'compose', 'config', 'variables', 'contract', 'log', 'closing'],
};
const folders = Object.keys(mayImport);
const files = [
  'main',
  'compose',
  'config',
  'variables',
  'secrets',
  'contract',
  'problem',
  'group-commit',
  'closing',
  'in-span',
  'log',
  'parse-url',
];

function layer([room, allowed]) {
  const isForbidden = (name) => name !== room && !allowed.includes(name);
  const group = [
    ...folders.filter(isForbidden).map((name) => `**/${name}/**`),
    ...files.filter(isForbidden).map((name) => `**/${name}.js`),
    ...(room === 'domain' ? ['node:*', '**/openapi.json'] : []),
  ];
  const message = `${room} may import ${allowed.join(', ')} and generated only: see CONTRIBUTING.md`;
  return {
    files: [`src/${room}/**/*.ts`],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-imports': ['error', { patterns: [{ group, message }] }] },
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
        projectService: { allowDefaultProject: ['eslint.config.js', 'contract-tests/process/core-preload.mjs'] },
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Express' types are extended by declaring into their namespace.
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
    ignores: ['src/main.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only main.ts reads the environment.' },
        { object: 'URL', property: 'canParse', message: 'Wrong in Node 20 and 22: see parse-url.ts.' },
      ],
    },
  },
  {
    // They import clients that npm run sdk:check generates elsewhere, and compiles them there.
    files: ['scripts/contract/sdk-check/stories/*.ts'],
    extends: [tseslint.configs.disableTypeChecked],
  },
  ...Object.entries(mayImport).map(layer),
);
