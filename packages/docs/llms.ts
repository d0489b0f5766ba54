import { contract, operationHref, operations } from './contract.js';
import { changelog, gettingStarted, type Guide, groups, reference } from './pages.js';
import { referenceMarkdown } from './reference-markdown.js';

/** Returns every page and the reference as one text, for language models that read the whole documentation. */
export function llmsFullText(guides: readonly string[]): string {
  return [...guides, referenceMarkdown()].map((it) => it.trim()).join('\n\n---\n\n') + '\n';
}

/** Returns the entry page for language models (llmstxt.org): a summary and links to plain text. */
export function llmsText(): string {
  const link = ({ slug, title, summary }: Guide) => `- [${title}](${slug}.md): ${summary}`;
  const offered = operations.filter(({ path }) => path !== undefined);
  return `# ${contract.info.title}

> An HTTP API that estimates a person's stress state in real time. Apps and AI agents send signals (heart rate, heart-rate variability, tone of voice, facial expression, sentiment). The same request returns the state, the reason and a recommended action for an assistant.

Version ${contract.info.version}. Every request carries the header \`X-Service-Key\`. Bodies are JSON. Unknown fields are refused. Errors are problem details (RFC 9457): branch on \`code\`. Not a medical device.

## Contract

- [openapi.yaml](openapi.yaml): OpenAPI 3.0.3, the whole interface with every field, bound, limit and error
- [openapi.json](openapi.json): the same as JSON
- [Reference](${reference.slug}.md): every operation with its fields, errors, a sample and a response
- [llms-full.txt](llms-full.txt): all guides and the reference in one file
- /.well-known/api-catalog: the catalog of the API. With PUBLIC_URL, /.well-known/agent-card.json is the card of the agent (A2A 1.0)

## Start

${link(gettingStarted)}

${groups.map((it) => `## ${it.title}\n\n${it.guides.map(link).join('\n')}`).join('\n\n')}

## Operations

${offered.map((it) => `- [${it.method} ${it.path}](${operationHref(it)}): ${it.summary}`).join('\n')}

## Optional

${link(changelog)}
`;
}
