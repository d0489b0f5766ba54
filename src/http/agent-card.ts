import { version } from '../config/version.js';
import type { Config } from '../config/config.js';
import { type Tool, tools } from './tools.js';

/** What an agent may call: the tools that read, and `ingest`. Nothing that erases. */
export const skills: readonly Tool[] = tools.filter((it) => it.personalData === 'reads' || it.name === 'ingest');

export const agentCardPath = '/.well-known/agent-card.json';
const json = ['application/json'];

/** Returns the card of the service as an agent (A2A 1.0), in the JSON form of the protocol. */
export function buildAgentCard(publicUrl: string, oauth: Config['oauth']): object {
  const schemes = {
    serviceKey: { apiKeySecurityScheme: { location: 'header', name: 'X-Service-Key' } },
    ...(oauth && { oauth: { openIdConnectSecurityScheme: { openIdConnectUrl: toDiscoveryUrl(oauth.issuer) } } }),
  };
  return {
    name: 'Realtime State Service',
    description: `The stress state of people, from heart, voice, face and words. Send one data part {"skill": "get_human_state", "arguments": {"subject_id": "…"}}. Streams send each change of the state. Not a medical device. The catalog of the API is ${publicUrl}/.well-known/api-catalog`,
    version,
    supportedInterfaces: [{ url: `${publicUrl}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    documentationUrl: `${publicUrl}/llms.txt`,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: schemes,
    securityRequirements: Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: [] } } })),
    defaultInputModes: [...json, 'text/plain'],
    defaultOutputModes: [...json, 'text/plain'],
    skills: skills.map(({ name, title, description, personalData }) => ({
      ...{ id: name, name: title, description },
      tags: ['human-state', personalData === 'reads' ? 'read' : 'write'],
      ...{ inputModes: json, outputModes: [...json, 'text/plain'] },
    })),
  };
}

function toDiscoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
}
