import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** SHA-256 of the file that `noSchemaCheck` replaces. Read a changed file before you change the digest. */
const schemaCheckDigest = '0342a40615a0063398b956e3dcbdd74381fd137706e57b3747442ac8c2f928ea';

/**
 * Replaces the check of the contract in express-openapi-validator. The library compiles the schema of OpenAPI at every
 * start, even if the check is off: docs/decisions/018-request-validation.md.
 */
const noSchemaCheck = {
  name: 'no-schema-check',
  setup: (build) =>
    build.onLoad({ filter: /framework\/openapi\.schema\.validator\.js$/ }, async ({ path }) => {
      const digest = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
      if (digest !== schemaCheckDigest) throw new Error(`express-openapi-validator has changed ${path}`);
      return { contents: 'exports.OpenAPISchemaValidator = class { validate() { return { errors: [] }; } };' };
    }),
};

/** Loads JSON as a string, which V8 parses faster than an object in the source. */
const parsedJson = {
  name: 'parsed-json',
  setup: (build) =>
    build.onLoad({ filter: /generated\/openapi\.json$/ }, async ({ path }) => {
      const text = JSON.stringify(JSON.parse(await readFile(path, 'utf8')));
      return { contents: `export default JSON.parse(${JSON.stringify(text)});` };
    }),
};

/**
 * Bundles the code of libsql. As a dependency, it would install its binaries for glibc and for musl, because they state no
 * `libc`. The package installs those for glibc only.
 */
const bundledLibsql = {
  name: 'bundled-libsql',
  setup: (build) =>
    build.onLoad({ filter: /src\/store\/load-libsql\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      return { contents: text.replace(/^const require = .*$/m, ''), loader: 'ts' };
    }),
};

/** The OpenTelemetry SDK is optional. Knex names drivers that this service does not use. */
const external = [
  ...['@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-http', '@opentelemetry/resources'],
  ...['better-sqlite3', 'sqlite3', 'pg', 'pg-native', 'pg-query-stream', 'oracledb', 'tedious', 'mysql'],
  ...['mariadb', 'mariadb/callback'],
];

/** Options of esbuild for the program, which its test also uses. */
export const options = {
  external,
  plugins: [noSchemaCheck, parsedJson, bundledLibsql],
  // Its CommonJS entry loads modules in a way that bundlers cannot follow. This is its entry `module`.
  alias: { 'jsonc-parser': './node_modules/jsonc-parser/lib/esm/main.js' },
};
