import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Folders whose checks and tests drive packages from outside against the service. Each has a package.json of its own, so
 * that `npm ci` does not install these packages. `npm run install:outside` does.
 */
export const outsideFolders = [
  'contract-tests/http/compression',
  'contract-tests/mcp/conformance',
  'examples/langchain',
  'packages/client/tests/ai-sdk',
  'packages/gateway/tests/sdks',
  'scripts/contract/spectral',
] as const;

/** Returns true if the packages of the folder are installed. */
export function isInstalled(folder: string): boolean {
  return existsSync(fileURLToPath(new URL(`../${folder}/node_modules`, import.meta.url)));
}
