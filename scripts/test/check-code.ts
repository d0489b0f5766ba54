/**
 * Checks the types and lint rules of all code except `lab/`. Both checks use the same programs of the compiler, because
 * `tsc` and `eslint` as separate commands parse and check every file twice. Exits with 1 if there are errors.
 */
import { ESLint } from 'eslint';
import ts from 'typescript';
import { isInstalled, outsideFolders } from '../../testkit/outside.js';

const missing = outsideFolders.filter((it) => !isInstalled(it));
const configs = [
  missing.length === 0 ? 'tsconfig.outside.json' : 'tsconfig.json',
  // With the other code of browsers.
  'packages/dashboard/tsconfig.json',
];
/** Compiled where the clients that they use are generated. */
const untyped = 'scripts/contract/sdk/adapters/**';
const formatHost: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: ts.sys.getCurrentDirectory,
  getNewLine: () => '\n',
};

const programs = configs.map((config) => {
  const { fileNames, options } = readConfig(config);
  return ts.createProgram(fileNames, options);
});
const typeErrors = programs.flatMap((it) => ts.getPreEmitDiagnostics(it));
if (typeErrors.length > 0) console.log(ts.formatDiagnostics(typeErrors, formatHost));

// A file that no program contains is an error of ESLint, so every file is checked.
const eslint = new ESLint({
  ignorePatterns: ['lab', ...missing],
  overrideConfig: {
    files: ['**/*'],
    ignores: [untyped],
    languageOptions: { parserOptions: { projectService: false, programs: [...programs, createProgramOfScripts()] } },
  },
});
const faults = (await eslint.lintFiles('.')).filter((it) => it.errorCount + it.warningCount > 0);
if (faults.length > 0) console.log(await (await eslint.loadFormatter()).format(faults));
if (typeErrors.length + faults.length > 0) process.exitCode = 1;

function readConfig(config: string): ts.ParsedCommandLine {
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (it) => {
      throw new Error(ts.formatDiagnostic(it, formatHost));
    },
  });
  if (!parsed) throw new Error(`cannot read ${config}`);
  return parsed;
}

/** Returns the scripts in JavaScript, whose types are inferred for the lint rules and not checked. */
function createProgramOfScripts(): ts.Program {
  const folders = ['bin', 'scripts/build', 'src/cli', 'contract-tests/process'];
  const found = folders.flatMap((it) => ts.sys.readDirectory(it, ['.mjs']));
  return ts.createProgram(['eslint.config.js', ...found], { ...readConfig('tsconfig.json').options, allowJs: true });
}
