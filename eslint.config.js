import { readdirSync } from 'node:fs';
import tseslint from 'typescript-eslint';

/**
 * The modules that each folder or root file of src/ may import, in addition to itself, generated/ and the libraries.
 * Each room imports earlier rooms only, so imports have one direction (CONTRIBUTING.md).
 */
const rooms = {
  contract: [],
  config: ['contract'],
  store: ['contract', 'config'],
  observe: ['config', 'store'],
  limits: ['contract', 'config', 'store'],
  keys: ['contract', 'store'],
  'access-record': ['contract', 'store'],
  retention: ['contract', 'config', 'store'],
  webhooks: ['contract', 'store', 'observe', 'limits'],
  // The gate: whose data a caller may read.
  view: ['contract', 'store'],
  alerts: ['contract', 'store', 'view'],
  readings: ['contract', 'store', 'observe', 'limits', 'view'],
  streaming: ['contract', 'store', 'limits', 'view'],
  operations: [
    ...['contract', 'store', 'limits', 'keys', 'retention', 'webhooks'],
    ...['view', 'readings', 'streaming'],
  ],
  http: ['contract', 'config', 'store', 'observe', 'limits', 'view', 'readings', 'operations'],
  serve: [
    ...['contract', 'config', 'store', 'observe', 'limits', 'keys', 'access-record', 'retention', 'webhooks'],
    ...['view', 'alerts', 'readings', 'streaming', 'operations', 'http'],
  ],
  cli: [
    ...['contract', 'config', 'store', 'observe', 'keys', 'access-record', 'retention', 'webhooks', 'http', 'serve'],
  ],
  program: ['observe', 'serve', 'cli'],
};
/** The packages that src/ may import. src/program.ts registers the commands of the others. */
const libraries = ['text', 'score', 'recordings', 'settings'];
/** The packages that each package may import, in addition to itself and generated/. */
const packages = {
  client: [],
  // Its training shows its progress.
  text: ['tools'],
  // Pure: a phone can compute a state. Of packages/text, only the vocabulary of topics.
  score: ['text'],
  // Pure: it reads bytes. The service reads posted bodies with it.
  recordings: [],
  tools: ['client', 'recordings'],
  // Environment variables of the service and of the gateway.
  settings: [],
  gateway: ['client', 'settings'],
  docs: [],
  // Without DOM: every page about a person shares it.
  sentence: ['client', 'score'],
  // Elements, forms and formats of every page.
  ui: ['client', 'recordings'],
  dashboard: ['client', 'docs', 'recordings', 'score', 'sentence', 'tools', 'ui'],
  person: ['client', 'dashboard', 'docs', 'recordings', 'sentence', 'tools', 'ui'],
};
const namesIn = (folder) =>
  readdirSync(new URL(folder, import.meta.url), { withFileTypes: true })
    .filter((it) => !it.name.endsWith('.test.ts'))
    .map((it) => it.name.replace('.ts', ''));
const python = 'client-python';
const uncovered = [
  ...namesIn('src').filter((name) => !(name in rooms) && name !== 'main'),
  ...namesIn('packages').filter((name) => !(name in packages) && name !== python),
];
if (uncovered.length > 0) throw new Error(`add ${uncovered.join(', ')} to eslint.config.js`);

const outside = ['lab', 'scripts', 'testkit', 'contract-tests'];
const tests = ['**/*.test.ts', 'packages/*/tests/**', 'contract-tests/**'];
const oneOf = (names) => `(${names.join('|')})`;
const listAllowed = (allowed) => `May import ${[...allowed, 'generated'].join(', ')} only: see CONTRIBUTING.md`;

/** Readings are read through the gate, which restricts them to what the caller may see. */
const gate = {
  regex: '/store/(readings|readings-by-position|sessions|published-score)\\.js$',
  message: 'Read readings with view() of src/view/view.ts.',
};
const readers = ['operations', 'streaming', 'alerts'];

const timeLimit = {
  selector: "MemberExpression[object.name='AbortSignal'][property.name='any']",
  message: 'Node may garbage-collect a timeout in it before it fires (nodejs/node#57736): use startTimeLimit',
};

/** Forbids modules whose paths match, also in calls of `import()`. */
function forbid(...modules) {
  const selectOf = ({ regex }) => `ImportExpression[source.value=/${regex.replaceAll('/', '\\u002F')}/]`;
  return {
    'no-restricted-imports': ['error', { patterns: modules }],
    'no-restricted-syntax': [
      'error',
      timeLimit,
      ...modules.map((it) => ({ selector: selectOf(it), message: it.message })),
    ],
  };
}

function limitRoom([room, allowed]) {
  const others = Object.keys(rooms).filter((name) => name !== room && !allowed.includes(name));
  const forbiddenPackages =
    room === 'program' ? [] : [...Object.keys(packages), python].filter((name) => !libraries.includes(name));
  const message = listAllowed([...allowed, ...libraries.map((name) => `packages/${name}`)]);
  return {
    files: [`src/${room}/**/*.ts`, `src/${room}.ts`],
    ignores: tests,
    rules: forbid(
      { regex: `^(\\./|(\\.\\./)+)${oneOf(others)}/`, message },
      { regex: `/${oneOf(outside)}/`, message },
      ...(forbiddenPackages.length > 0 ? [{ regex: `/packages/${oneOf(forbiddenPackages)}/`, message }] : []),
      ...(readers.includes(room) ? [gate] : []),
    ),
  };
}

const privateClient = {
  regex: '/client/src/(?!(index|webhooks|ai-sdk)\\.js$)',
  message: 'Import the public entry points of the client.',
};

const pure = {
  regex: '^node:|^(\\.\\./){2,}generated/|/text/(?!vocabulary\\.js$)',
  message: 'score/ is pure, and imports only the vocabulary of text/.',
};

function limitPackage([name, allowed]) {
  const others = Object.keys(packages).filter((it) => it !== name && !allowed.includes(it));
  const message = listAllowed(allowed);
  return {
    files: [`packages/${name}/**/*.ts`],
    ignores: tests,
    rules: forbid(
      { regex: `^(\\.\\./)+${oneOf(['src', ...outside])}/`, message },
      { regex: `^(\\.\\./)+${oneOf(others)}/`, message },
      ...(name === 'client' ? [] : [privateClient]),
      ...(name === 'recordings' ? [{ regex: '^node:', message: 'recordings/ takes bytes.' }] : []),
      ...(name === 'score' ? [pure] : []),
    ),
  };
}

const restrictedProperties = [
  { object: 'process', property: 'env', message: 'Only program.ts reads the environment.' },
  { object: 'URL', property: 'canParse', message: 'Wrong in Node 20 and 22: see parse-url.ts.' },
];

export default tseslint.config(
  {
    // Their packages are installed by `lab -- check examples` only, which runs them.
    ignores: [
      'examples/mail/',
      'examples/nextjs-chat/',
      'generated/accepted-score.mjs',
      '**/dist/',
      'reports/',
      'node_modules/',
      'contract-tests/dredd/hooks.cjs',
    ],
  },
  tseslint.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      // .oxlintrc.json has these.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unused-vars': 'off',
      // Express's types are extended by a declaration in their namespace.
      '@typescript-eslint/no-namespace': ['error', { allowDeclarations: true }],
      eqeqeq: 'error',
      'no-restricted-syntax': ['error', timeLimit],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/program.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-properties': ['error', ...restrictedProperties],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/store/**', 'src/program.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...restrictedProperties,
        { property: 'knex', message: 'Only modules of src/store use the connection of a scope.' },
      ],
    },
  },
  ...Object.entries(rooms).map(limitRoom),
  ...Object.entries(packages).map(limitPackage),
  {
    files: ['testkit/**/*.ts'],
    rules: forbid(
      {
        regex: `/${oneOf(['lab', 'scripts', 'contract-tests'])}/|\\.test\\.js$`,
        message: listAllowed(['src', 'packages']),
      },
      privateClient,
    ),
  },
  {
    files: tests,
    ignores: ['lab/**', 'scripts/**'],
    rules: forbid({ regex: `/${oneOf(['lab', 'scripts'])}/`, message: 'Move what tests share to testkit/.' }),
  },
);
