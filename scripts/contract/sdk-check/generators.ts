/** Client generators with the tested versions. None requires Java, and all run on Node 20. */
export interface Generator {
  /** Also the file name of its scenario. */
  readonly name: string;
  /** The exact packages that a user would install. */
  readonly packages: Readonly<Record<string, string>>;
  /** The command that writes generated/ from openapi.json, run in the folder that contains both. */
  readonly command: readonly string[];
  /** Configuration files of the command. */
  readonly files?: (url: string) => Readonly<Record<string, string>>;
}

/** The project's own TypeScript version, used for all generators that need a compiler. */
const typescript = '5.9.3';

export const generators: readonly Generator[] = [
  {
    name: 'openapi-fetch',
    packages: { 'openapi-typescript': '7.13.0', 'openapi-fetch': '0.17.0', typescript },
    command: ['openapi-typescript', 'openapi.json', '--output', 'generated/api.d.ts'],
  },
  {
    // From 0.95 on it requires Node 22.
    name: 'hey-api',
    packages: { '@hey-api/openapi-ts': '0.94.5', typescript },
    command: ['openapi-ts', '--input', 'openapi.json', '--output', 'generated', '--client', '@hey-api/client-fetch'],
  },
  {
    // From 7.14 on it requires Node 22.
    name: 'orval',
    packages: { orval: '7.13.2', typescript },
    command: ['orval', '--config', 'orval.config.cjs'],
    files: (baseUrl) => ({
      'orval.config.cjs': `module.exports = ${JSON.stringify({
        api: { input: 'openapi.json', output: { target: 'generated/api.ts', client: 'fetch', baseUrl } },
      })};\n`,
    }),
  },
  {
    name: 'swagger-typescript-api',
    packages: { 'swagger-typescript-api': '13.13.0' },
    command: [
      ...['swagger-typescript-api', 'generate', '--path', 'openapi.json', '--output', 'generated', '--name', 'api.ts'],
      '--generate-union-enums',
    ],
  },
];
