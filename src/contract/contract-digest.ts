import { hash } from 'node:crypto';

/**
 * Returns the SHA-256 of an openapi.yaml in hex. Ignores the style of line endings, which differs between operating
 * systems.
 */
export function digestContract(yaml: string): string {
  return hash('sha256', yaml.replaceAll('\r\n', '\n'));
}
