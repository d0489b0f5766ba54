import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type AgentConfiguration, serverName } from './setup.js';

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
