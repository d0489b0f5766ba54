import { contract, operations } from './contract.js';
import { changelog, gettingStarted, type Guide, guides, operatorGuides } from './pages.js';

/** What language models read first (llmstxt.org): what this is, and where the rest stands as plain text. */
export function llmsText(): string {
  const link = ({ slug, title, summary }: Guide) => `- [${title}](${slug}.md): ${summary}`;
  const offered = operations.filter(({ path }) => path !== undefined);
  return `# ${contract.info.title}

> Apps and AI agents send what they sense of a person (heart rate, heart-rate variability, tone of voice, facial expression, sentiment) to an HTTP API; the same request answers how stressed that person is, why, and what an assistant should do about it.

Version ${contract.info.version}. Every request carries the header \`X-Service-Key\`. Bodies are JSON, unknown fields are refused, errors are problem details (RFC 9457): branch on \`code\`. Not a medical device.

## Contract

- [openapi.yaml](openapi.yaml): OpenAPI 3.0.3, the whole interface with every field, bound, limit and error
- [openapi.json](openapi.json): the same as JSON

## Guides

${[gettingStarted, ...guides].map(link).join('\n')}

## Operating the service

${operatorGuides.map(link).join('\n')}

## Operations

${offered.map(({ id, method, path, summary }) => `- [${method} ${path}](reference/#${id}): ${summary}`).join('\n')}

## Optional

${link(changelog)}
`;
}
