import { readFileSync } from 'node:fs';

export interface Usage {
  readonly cpuMs: number;
  readonly residentMb: number;
}

/** Unit of CPU time on Linux, ms: a hundredth of a second (USER_HZ). */
const tickMs = 10;
/** Positions in /proc/<pid>/stat. They are counted after the process name, which may contain spaces. */
const userTicks = 11;
const systemTicks = 12;

/** Returns the CPU time and memory of a process. Undefined on systems without /proc. */
export function usageOf(pid: number): Usage | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return {
      cpuMs: tickMs * (Number(fields[userTicks]) + Number(fields[systemTicks])),
      residentMb: (Number(kilobytes) * 1024) / 1e6,
    };
  } catch {
    return undefined;
  }
}
