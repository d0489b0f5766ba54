import type { Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { agentCardPath, buildAgentCard } from './agent-card.js';
import { rejectMethod } from './route.js';

/** Followed by the path of the resource (RFC 9728). */
export const protectedResourcePath = '/.well-known/oauth-protected-resource';

export interface WellKnownParts {
  readonly published: Pick<Config, 'publicUrl' | 'securityContact' | 'oauth'>;
  /** Epoch ms. */
  readonly now: () => number;
}

const daysMs = 86_400_000;
/** How long the text about security is valid. RFC 9116 recommends less than a year. */
const securityDays = 180;
const catalogType = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

interface WellKnown {
  readonly type: string;
  readonly text: string;
}

/**
 * Serves what machines look for, without a key. URLs come from PUBLIC_URL, never from a header. The returned function
 * returns false for another path. `scopes` are those that an agent needs.
 */
export function wellKnown({ published, now }: WellKnownParts, scopes: readonly string[]) {
  const { publicUrl = '', securityContact, oauth } = published;
  const card = publicUrl && JSON.stringify(buildAgentCard(publicUrl, oauth));
  const describe = (resource: string) => ({
    resource,
    authorization_servers: [oauth?.issuer],
    scopes_supported: scopes.map((it) => `${oauth?.scopePrefix}${it}`),
    bearer_methods_supported: ['header'],
    resource_name: 'Realtime State Service',
    resource_documentation: `${publicUrl}/docs/oauth/`,
  });
  const writeResource = (resource: string) => oauth && (() => toJson(describe(resource)));
  const documents: Readonly<Record<string, (() => WellKnown) | undefined>> = {
    '/.well-known/api-catalog': () => ({ type: catalogType, text: JSON.stringify(listLinks(publicUrl)) }),
    '/.well-known/security.txt': securityContact === undefined ? undefined : () => writeSecurity(securityContact),
    [agentCardPath]: card === '' ? undefined : () => ({ type: 'application/json', text: card }),
    [protectedResourcePath]: writeResource(`${publicUrl}/mcp`),
    [`${protectedResourcePath}/mcp`]: writeResource(`${publicUrl}/mcp`),
    [`${protectedResourcePath}/a2a`]: writeResource(`${publicUrl}/a2a`),
  };

  function writeSecurity(contact: string): WellKnown {
    const expires = new Date((Math.floor(now() / daysMs) + securityDays) * daysMs).toISOString();
    const place = publicUrl && `Canonical: ${publicUrl}/.well-known/security.txt\n`;
    return { type: 'text/plain; charset=utf-8', text: `Contact: ${contact}\nExpires: ${expires}\n${place}` };
  }

  return ({ method, path }: Request, response: Response): boolean => {
    const write = Object.hasOwn(documents, path) ? documents[path] : undefined;
    if (!write && path !== '/llms.txt') return false;
    if (method !== 'GET') throw rejectMethod(response, ['GET', 'HEAD']);
    response.set({ 'Cache-Control': 'no-cache', Link: '</.well-known/api-catalog>; rel="api-catalog"' });
    if (!write) response.redirect(302, 'docs/llms.txt');
    else send(response, write());
    return true;
  };
}

function send(response: Response, { type, text }: WellKnown): void {
  // `set` of Express would add a charset.
  response.setHeader('Content-Type', type).end(text);
}

function toJson(value: object): WellKnown {
  return { type: 'application/json', text: JSON.stringify(value) };
}

/** Returns the catalog of RFC 9727: the API and the endpoint of agents, with their descriptions. */
function listLinks(base: string) {
  const link = (path: string, type: string) => ({ href: base + path, type });
  return {
    linkset: [
      {
        anchor: `${base}/`,
        'service-desc': [link('/openapi.json', 'application/json'), link('/openapi.yaml', 'application/yaml')],
        'service-doc': [link('/docs/', 'text/html'), link('/docs/llms.txt', 'text/plain')],
        status: [link('/readyz', 'application/json')],
      },
      { anchor: `${base}/mcp`, 'service-doc': [link('/docs/agents/', 'text/html')] },
      ...(base === '' ? [] : [{ anchor: `${base}/a2a`, 'service-desc': [link(agentCardPath, 'application/json')] }]),
    ],
  };
}
