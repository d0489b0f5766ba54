import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** The name of the service in the configurations. */
const serverName = 'realtime-state';

/** The configuration of an agent, and its file. */
export interface AgentConfiguration {
  readonly agent: string;
  readonly title: string;
  /** Relative paths belong to the project that the agent works in. */
  readonly file: string;
  /** The text that a user copies into the file, or the command that adds it. */
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

/** File permissions. Only the owner may read a file that contains a key. */
const fileMode = 0o600;

/**
 * Adds the service to the configuration file of an agent and keeps all other content. Replaces an earlier entry of the
 * service in a JSON file. If the content cannot be extended, writes nothing and rejects with an error that names the
 * file.
 */
export async function writeConfiguration(configuration: AgentConfiguration): Promise<void> {
  const { file, entry } = configuration;
  const current = await readFile(file, 'utf8').catch(absentAsEmpty);
  const text = entry ? withEntry(file, current, entry) : withSection(configuration, current);
  await mkdir(dirname(file), { recursive: true });
  // Written to a new file that is then renamed, so that no reader gets an incomplete file.
  await writeFile(`${file}.new`, text, { mode: fileMode });
  await rename(`${file}.new`, file);
}

function withEntry(file: string, current: string, { group, value }: NonNullable<AgentConfiguration['entry']>): string {
  const content = current.trim() === '' ? {} : parsed(file, current);
  const servers = content[group] ?? {};
  if (!isRecord(servers)) throw unchanged(file, `"${group}" is not an object`);
  return `${JSON.stringify({ ...content, [group]: { ...servers, [serverName]: value } }, null, 2)}\n`;
}

function withSection({ file, text }: AgentConfiguration, current: string): string {
  const isPresent = current.split('\n').some((line) => line.trim().startsWith(`[mcp_servers.${serverName}`));
  if (isPresent) throw unchanged(file, `it already has a section [mcp_servers.${serverName}]`);
  return `${current}${current === '' || current.endsWith('\n') ? '' : '\n'}\n${text}\n`.trimStart();
}

function parsed(file: string, text: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw unchanged(file, `it is not plain JSON (${(error as Error).message})`);
  }
  if (!isRecord(content)) throw unchanged(file, 'it is not a JSON object');
  return content;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unchanged(file: string, reason: string): Error {
  return new Error(`${file} was not changed: ${reason}. Edit the file with the output of mcp setup`);
}

function absentAsEmpty(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
