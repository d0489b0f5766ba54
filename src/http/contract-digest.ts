import { hash } from 'node:crypto';

/** Tells one openapi.yaml from another; the ends of lines are the checkout's own. SHA-256, hex. */
export function contractDigestOf(yaml: string): string {
  return hash('sha256', yaml.replaceAll('\r\n', '\n'));
}
