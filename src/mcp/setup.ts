import { homedir } from 'node:os';
import { join } from 'node:path';

/** The name of the service in the configurations. */
export const serverName = 'realtime-state';

/** The configuration of an agent, and its file. */
export interface AgentConfiguration {
  readonly agent: string;
  readonly title: string;
  /** Relative paths belong to the project that the agent works in. */
  readonly file: string;
  /** What a user copies into the file, or the command that does the same. */
  readonly text: string;
  /** The place of the entry in a JSON file. Absent: the file is TOML, and the text is appended. */
  readonly entry?: { readonly group: string; readonly value: unknown };
}

/** Returns ready-to-use configurations of common agents for the service at the URL. */
export function agentConfigurations(url: string, key: string): AgentConfiguration[] {
  const endpoint = new URL('/mcp', url).href;
  const headers = { 'X-Service-Key': key };
  const typed = { type: 'http', url: endpoint, headers };
  return [
    {
      ...inJson('claude-code', 'Claude Code', '.mcp.json', 'mcpServers', typed),
      text: `claude mcp add --transport http ${serverName} ${endpoint} --header "X-Service-Key: ${key}"`,
    },
    inJson('cursor', 'Cursor', '.cursor/mcp.json', 'mcpServers', { url: endpoint, headers }),
    inJson('vscode', 'VS Code', '.vscode/mcp.json', 'servers', typed),
    {
      agent: 'codex',
      title: 'Codex',
      file: join(homedir(), '.codex', 'config.toml'),
      text: `[mcp_servers.${serverName}]\nurl = "${endpoint}"\nhttp_headers = { "X-Service-Key" = "${key}" }`,
    },
    inJson('stdio', 'Agents that start a program', 'mcp.json', 'mcpServers', stdioServer(url, key)),
  ];
}

/** Returns the configurations as text, each under the name of its agent and file. */
export function describeConfigurations(configurations: readonly AgentConfiguration[]): string {
  return configurations.map(({ title, file, text }) => `${title}, ${file}:\n\n${text}`).join('\n\n');
}

function inJson(agent: string, title: string, file: string, group: string, value: unknown): AgentConfiguration {
  const text = JSON.stringify({ [group]: { [serverName]: value } }, null, 2);
  return { agent, title, file, text, entry: { group, value } };
}

/** Returns the configuration that runs this program with the same Node binary. */
function stdioServer(url: string, key: string) {
  return {
    command: process.execPath,
    args: [process.argv[1], 'mcp'],
    env: { SERVICE_URL: url, SERVICE_KEY: key },
  };
}
