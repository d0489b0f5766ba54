/** A client generator with its tested version. All generators run on Node 20 and do not require Java. */
export interface Generator {
  /** Name of the generator and of its adapter. */
  readonly name: string;
  /** The exact packages that a user would install. */
  readonly packages: Readonly<Record<string, string>>;
  /** The commands that write generated/ from openapi.json, run in the folder that contains both. */
  readonly commands: ReadonlyArray<readonly string[]>;
  /** Configuration files of the command. */
  readonly files?: (url: string) => Readonly<Record<string, string>>;
}

/** TypeScript version of the project. All generators that require a compiler use it. */
const typescript = '5.9.3';

export const generators: readonly Generator[] = [
  {
    name: 'openapi-fetch',
    packages: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript },
    commands: [['openapi-typescript', 'openapi.json', '--output', 'generated/api.d.ts']],
  },
  {
    // Validates every response with a zod schema. zod removes fields that a schema does not define. Version 0.95 and
    // later require Node 22.
    name: 'hey-api',
    packages: { '@hey-api/openapi-ts': '0.94.5', zod: '4.6.7', typescript },
    commands: [['openapi-ts']],
    files: () => ({
      'openapi-ts.config.mjs': `export default ${JSON.stringify({
        ...{ input: 'openapi.json', output: 'generated' },
        plugins: ['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: { response: 'zod' } }],
      })};\n`,
    }),
  },
  {
    // Version 7.14 and later require Node 22.
    name: 'orval',
    packages: { orval: '7.13.2', typescript },
    commands: [['orval', '--config', 'orval.config.cjs']],
    files: (baseUrl) => ({
      'orval.config.cjs': `module.exports = ${JSON.stringify({
        api: { input: 'openapi.json', output: { target: 'generated/api.ts', client: 'fetch', baseUrl } },
      })};\n`,
    }),
  },
];
