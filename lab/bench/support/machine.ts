import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  readonly node: string;
  /** Load averages over 1, 5 and 15 minutes. */
  readonly loadAverage: readonly number[];
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${process.platform} ${release()}`,
    node: process.version,
    loadAverage: loadavg().map((it) => Math.round(10 * it) / 10),
  };
}

export function machineLine({ cpu, cores, memoryGb, system, node }: Machine): string {
  return `${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}`;
}

/** Returns the machine and its load averages. */
export function loadLine(machine: Machine): string {
  return `${machineLine(machine)}; load average ${machine.loadAverage.join(' ')}`;
}
