import { vi } from 'vitest';
import { toolsCommand } from '../commands.js';

export const root = new URL('../../../', import.meta.url);

/** Runs a command of the tools in this process. Returns its standard output. */
export async function runTools(name: string, ...args: string[]): Promise<string> {
  const lines: string[] = [];
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line)),
    vi.spyOn(console, 'error').mockImplementation(() => {}),
    vi.spyOn(process.stderr, 'write').mockReturnValue(true),
  ];
  try {
    const { commands } = toolsCommand({ root, env: {}, jsonOption: ['--json', '', false] });
    await commands
      .find((it) => it.name() === name)
      ?.exitOverride()
      .parseAsync(args, { from: 'user' });
    return lines.join('\n');
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
