const name = 'realtime-state';

/** Returns ready-to-use configurations of common agents for the service at the URL. */
export function agentConfigurations(url: string, key: string): string {
  const endpoint = new URL('/mcp', url).href;
  const headers = { 'X-Service-Key': key };
  const http = { type: 'http', url: endpoint, headers };
  return [
    `Claude Code:\n\n  claude mcp add --transport http ${name} ${endpoint} --header "X-Service-Key: ${key}"`,
    `Cursor, .cursor/mcp.json:\n\n${json({ mcpServers: { [name]: { url: endpoint, headers } } })}`,
    `VS Code, .vscode/mcp.json:\n\n${json({ servers: { [name]: http } })}`,
    `Codex, ~/.codex/config.toml:\n\n[mcp_servers.${name}]\nurl = "${endpoint}"\nhttp_headers = { "X-Service-Key" = "${key}" }`,
    `Agents that start a program:\n\n${json({ mcpServers: { [name]: stdioServer(url, key) } })}`,
  ].join('\n\n');
}

/** The program is this one, run by the same Node. */
function stdioServer(url: string, key: string) {
  return {
    command: process.execPath,
    args: [process.argv[1], 'mcp'],
    env: { SERVICE_URL: url, SERVICE_KEY: key },
  };
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
