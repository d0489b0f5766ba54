import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseKind } from '../../../contract-tests/support/databases.js';
import type { Scenario } from '../attacks/scenario.js';
import type { Stage } from '../attacks/stage.js';
import { findingsOfFault } from './findings.js';
import { startProbe } from './probe.js';

/** A fault that begins and ends while readings are sent. */
export interface Fault {
  readonly name: string;
  readonly title: string;
  /** Databases that the fault applies to. Absent: every database. */
  readonly databases?: readonly DatabaseKind[];
  readonly setUp?: Scenario['setUp'];
  /** Status that requests may get at the start of the fault, in addition to 503. */
  readonly excusedStatus?: number;
  readonly begin: (stage: Stage) => unknown;
  readonly end?: (stage: Stage) => unknown;
}

export interface FaultTimes {
  /** Duration of the fault, ms. */
  readonly faultMs: number;
}

/** Time before and after the fault in which readings must be acknowledged, ms. */
const aroundMs = 3_000;

/** Converts the fault to a scenario. During the fault, all operations are called, and none may return 500. */
export function toScenario(fault: Fault, item: number, { faultMs }: FaultTimes): Scenario {
  return {
    item,
    title: fault.title,
    judge: (counts) => findingsOfFault(counts, fault.excusedStatus),
    ...(fault.setUp && { setUp: fault.setUp }),
    async attack(stage) {
      const probe = startProbe(stage);
      await sleep(aroundMs);
      await fault.begin(stage);
      await sleep(faultMs);
      await fault.end?.(stage);
      await sleep(aroundMs);
      return probe.stop();
    },
  };
}
