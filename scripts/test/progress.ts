import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import pc from 'picocolors';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';

type Failure = { readonly message: string; readonly stack?: string; readonly diff?: string };

/** Files per line of progress. */
const filesPerLine = 30;
const suite = process.env['TEST_DATABASE'] ?? 'sqlite';
/** Number of the slowest files that are printed at the end. */
const slowest = Number(process.env['TEST_SLOWEST'] ?? 12);

/** Prints each failure at once, a line per 30 files, and the seconds of the slowest files. TEST_REPORT gets the counts. */
export default class Progress implements Reporter {
  private readonly startedAtMs = Date.now();
  private readonly counts = { passed: 0, failed: 0 };
  private readonly seconds: Array<readonly [seconds: number, file: string]> = [];
  private files = 0;
  private parts = 1;

  onInit({ config }: Vitest): void {
    this.parts = config.shard?.count ?? 1;
  }

  /** Called with the files of all parts. */
  onTestRunStart(files: readonly unknown[]): void {
    this.files = Math.ceil(files.length / this.parts);
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state === 'passed') this.counts.passed += 1;
    if (state === 'failed') this.fail(`${test.module.relativeModuleId} > ${test.fullName}`, errors);
  }

  onTestModuleEnd(file: TestModule): void {
    if (file.errors().length > 0) this.fail(file.relativeModuleId, file.errors());
    const { setupDuration, collectDuration, duration } = file.diagnostic();
    this.seconds.push([(setupDuration + collectDuration + duration) / 1000, file.relativeModuleId]);
    if (this.seconds.length % filesPerLine === 0) this.print();
  }

  onTestRunEnd(_: unknown, errors: readonly Failure[]): void {
    if (errors.length > 0) this.fail('an error outside of a test', errors);
    this.print();
    const files = this.seconds.sort(([a], [b]) => b - a).slice(0, slowest);
    for (const [seconds, file] of files) console.log(`${seconds.toFixed(1).padStart(7)} s  ${relative('.', file)}`);
    const { TEST_REPORT } = process.env;
    if (TEST_REPORT) writeFileSync(TEST_REPORT, JSON.stringify(this.counts));
  }

  private fail(name: string, errors: readonly Failure[]): void {
    console.log(`${pc.red('✗')} ${suite}: ${name}`);
    this.counts.failed += 1;
    for (const { message, stack = message, diff } of errors) {
      const lines = stack.split('\n');
      const ours = lines.filter((line) => !/^ +at .*(node_modules|node:|<anonymous>)/.test(line));
      // An error that a library does not catch may have no frame of ours.
      const printed = ours.some((line) => /^ +at /.test(line)) ? ours : lines;
      console.log([...printed, diff].filter(Boolean).join('\n'));
    }
  }

  private print(): void {
    const { passed, failed } = this.counts;
    const seconds = Math.round((Date.now() - this.startedAtMs) / 1000);
    console.log(
      `  ${suite}: ${this.seconds.length} of ${this.files} files, ${passed} passed, ${failed} failed, ${seconds} s`,
    );
  }
}
