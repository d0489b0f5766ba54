import { realpathSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyEdits, findNodeAtLocation, modify, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

const serverName = 'realtime-state';

/** The environment variable that references to the key name. The command `mcp` reads the same one. */
const keyVariable = 'SERVICE_KEY';

export interface AgentConfiguration {
  readonly agent: string;
  readonly title: string;
  /** Relative paths belong to the project that the agent works in. */
  readonly file: string;
  /** The text that a user copies into the file, or the command that adds it. */
  readonly text: string;
  /** The place of the entry in a JSON file. Absent: the file is TOML, and the text is appended. */
  readonly entry?: { readonly group: string; readonly value: unknown };
  /** True if the file contains the key, because the agent does not read environment variables there. */
  readonly containsKey: boolean;
}

/**
 * Returns ready-to-use configurations of common agents for the service at the URL. They refer to SERVICE_KEY in the
 * syntax of the agent, or contain the key if the agent has no references.
 */
export function agentConfigurations(url: string, key: string): AgentConfiguration[] {
  const endpoint = new URL('/mcp', url).href;
  const headersWith = (value: string) => ({ 'X-Service-Key': value });
  const headers = headersWith(`\${env:${keyVariable}}`);
  const bash = headersWith(`\${${keyVariable}}`);
  const stdio = stdioServer(url, key);
  return [
    {
      ...inJson('claude-code', 'Claude Code', '.mcp.json', { type: 'http', url: endpoint, headers: bash }),
      // The scope selects the file, and the single quotes keep the reference.
      text: `claude mcp add --scope project --transport http ${serverName} ${endpoint} --header 'X-Service-Key: ${bash['X-Service-Key']}'`,
    },
    { ...inJson('claude-desktop', 'Claude Desktop', claudeDesktopFile(), stdio), containsKey: true },
    inJson('cursor', 'Cursor', '.cursor/mcp.json', { url: endpoint, headers }),
    inJson('windsurf', 'Windsurf', inHome('.codeium', 'windsurf', 'mcp_config.json'), { serverUrl: endpoint, headers }),
    inJson('vscode', 'VS Code', '.vscode/mcp.json', { type: 'http', url: endpoint, headers }, 'servers'),
    {
      // Without a type, Cline uses the transport of 2024 (SSE).
      ...inJson('cline', 'Cline', inHome('.cline', 'data', 'settings', 'cline_mcp_settings.json'), {
        ...{ type: 'streamableHttp', url: endpoint, headers: headersWith(key) },
      }),
      containsKey: true,
    },
    {
      agent: 'codex',
      title: 'Codex',
      file: inHome('.codex', 'config.toml'),
      text: `[mcp_servers.${serverName}]\nurl = "${endpoint}"\nenv_http_headers = { "X-Service-Key" = "${keyVariable}" }`,
      containsKey: false,
    },
    { ...inJson('stdio', 'Agents that start a program', 'mcp.json', stdio), containsKey: true },
  ];
}

/** Returns the configurations as text, each under its name for --write, the name of its agent and its file. */
export function describeConfigurations(configurations: readonly AgentConfiguration[]): string {
  return configurations.map(({ agent, title, file, text }) => `${agent} (${title}), ${file}:\n\n${text}`).join('\n\n');
}

export function describeNextStep({ containsKey }: AgentConfiguration): string {
  return containsKey
    ? 'it contains the key, so do not commit it'
    : `it refers to ${keyVariable}. Start the agent with this environment variable`;
}

function inJson(agent: string, title: string, file: string, value: unknown, group = 'mcpServers'): AgentConfiguration {
  const text = JSON.stringify({ [group]: { [serverName]: value } }, null, 2);
  return { agent, title, file, text, entry: { group, value }, containsKey: false };
}

function inHome(...path: string[]): string {
  return join(homedir(), ...path);
}

function claudeDesktopFile(): string {
  const folders: Partial<Record<NodeJS.Platform, string>> = {
    darwin: inHome('Library', 'Application Support'),
    win32: inHome('AppData', 'Roaming'),
  };
  return join(folders[process.platform] ?? inHome('.config'), 'Claude', 'claude_desktop_config.json');
}

/** Returns the configuration that runs this program with the same Node binary, also when npx started it by a link in its cache. */
function stdioServer(url: string, key: string) {
  return {
    command: process.execPath,
    args: [realpathSync(process.argv[1] ?? ''), 'mcp'],
    env: { SERVICE_URL: url, [keyVariable]: key },
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

/** Adds the entry to a JSON file, which may have comments and trailing commas. Changes nothing else in the text. */
function withEntry(file: string, current: string, { group, value }: NonNullable<AgentConfiguration['entry']>): string {
  const text = current.trim() === '' ? '{}\n' : current;
  const errors: ParseError[] = [];
  const content = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error)
    throw unchanged(file, `it is not JSON (${printParseErrorCode(error.error)} at character ${error.offset + 1})`);
  if (content?.type !== 'object') throw unchanged(file, 'it is not a JSON object');
  if ((findNodeAtLocation(content, [group])?.type ?? 'object') !== 'object')
    throw unchanged(file, `"${group}" is not an object`);
  const [, indent = '  '] = /^([ \t]+)"/m.exec(text) ?? [];
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length };
  // Adds the entry before all others, so that each comment stays with its neighbor.
  const options = { formattingOptions, getInsertionIndex: () => 0 };
  return applyEdits(text, modify(text, [group, serverName], value, options));
}

function withSection({ file, text }: AgentConfiguration, current: string): string {
  const isPresent = current.split('\n').some((line) => line.trim().startsWith(`[mcp_servers.${serverName}`));
  if (isPresent) throw unchanged(file, `it already has a section [mcp_servers.${serverName}]`);
  return `${current}${current === '' || current.endsWith('\n') ? '' : '\n'}\n${text}\n`.trimStart();
}

function unchanged(file: string, reason: string): Error {
  return new Error(`${file} was not changed: ${reason}. Edit the file with the output of mcp setup`);
}

function absentAsEmpty(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}
