import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { defineConfig } from 'vitest/config';
import { hasChromium } from './testkit/chromium.js';
import { pythonForClient } from './testkit/python.js';
import { hasCommands } from './testkit/has-commands.js';
import { isInstalled, outsideFolders } from './testkit/outside.js';

/** Linux keeps this folder in memory, where a commit does not wait for a disk. */
const memoryFolder = '/dev/shm';
/** Size of all databases that exist at the same time, bytes, with room to spare. */
const databasesMax = 2 ** 30;
const isMysql = process.env['TEST_DATABASE'] === 'mysql';
/** Tests that use no database, or only an embedded one. They run once instead of once per database. */
const onceOnly = [
  'src/**',
  '{packages,examples}/**',
  'scripts/**',
  'lab/!(*.mysql.*)',
  'contract-tests/{a2a,contract,dredd,every-operation,http,mcp}/**',
  'contract-tests/delivery/example-receivers.test.ts',
  'contract-tests/hostile/{bodies,corpus,half-open,key-flood,lines,pipelines,slow-senders}.test.ts',
  'contract-tests/ingest/{413,415,confidence,devices,everyday,handed-watch,labels,score-cpu,whole-days}.test.ts',
  'contract-tests/metrics/{alerts.promtool,operations-files,outage.redis}.test.ts',
  'contract-tests/limits/{contract,failed-authentications,!(*.mysql).redis}.test.ts',
  'contract-tests/process/{core-thread,interrupt,keys,log-output,package,post-thread,printed-commands,restore,shutdown,start,tracing,units}.test.ts',
  'contract-tests/{deleteSubject/bytes,ingest/503-disk,store/locked,store/outages}.test.ts',
  // Rejected before a query, or in memory. The same operations store and find rows in other files.
  'contract-tests/{createAlertRule,exportReadings,listFailedDeliveries,listSessions,registerWebhook}/422.test.ts',
  'contract-tests/{deleteTrigger,getDelivery,getSubject}/404.test.ts',
  'contract-tests/{submitFeedback/errors,submitSource/401}.test.ts',
  'contract-tests/{deleteSubject,retryDeliveries}/422.test.ts',
  'contract-tests/accounts/{by-construction,networks,scopes}.test.ts',
  'contract-tests/{getHealth/200,getState/429,ingest/400,ingest/401,ingest/422,person/read-limits}.test.ts',
  // Texts, deliveries, streams and schedules: what they store is the same as that of other files.
  'contract-tests/ingest/{derive-sentiment,journey,safety,safety-check}.test.ts',
  'contract-tests/delivery/{adaptive,bytes,receivers}.test.ts',
  'contract-tests/{getTriggers/privacy,streamEvents/life,streamEvents/processes.redis,streamEvents/slow-reader}.test.ts',
  'contract-tests/process/{accounts,backup-schedule}.test.ts',
  'contract-tests/store/access-tampering.test.ts',
  // All their statements run on MySQL in other files.
  'contract-tests/accounts/{matrix,tokens}.test.ts',
  'contract-tests/{oauth/commands,oauth/keys,oauth/tokens,person/link-law,person/token-alone,person/token-law}.test.ts',
  'contract-tests/{getAgreement/200,getTriggers/200,getTriggers/effect,ingest/429}.test.ts',
  'contract-tests/{alerts/conditions,exportReadings/life,getState/200,getState/age,getState/unknown}.test.ts',
  'contract-tests/{getSubjectSummary/200,submitSource/bodies}.test.ts',
  'contract-tests/ingestBatch/{array,refusals,untyped}.test.ts',
  'contract-tests/{ingest/safety-check,limits/round-robin,oauth/people,streamEvents/resume}.test.ts',
  'contract-tests/{deleteSubject/notifications,person/read-stream,person/share,submitSource/limits,submitSource/places}.test.ts',
  'contract-tests/process/{backup-encryption,backup-verify,secrets-key}.test.ts',
  'contract-tests/putConsent/{enforcement,precedence}.test.ts',
  'contract-tests/{ingest/midnight,ingest/own-words,submitSource/apart,submitSource/values}.test.ts',
];
/**
 * Tests that run on MySQL only with TEST_SLOW=1. Each statement of the service that they run is also run by a test that
 * runs on MySQL each time: those of the store, laws, races, migrations, backups and further queries. Also the record of
 * accesses after kills, which takes a minute.
 */
const slowOnMysql = [
  'contract-tests/accounts/{development-key,last-use}.test.ts',
  'contract-tests/{createAlertRule,createToken,listAlertRules,listReceiptKeys,registerWebhook,removeWebhook}/*.test.ts',
  'contract-tests/{rotateWebhookSecret,streamEvents,testWebhook}/*.test.ts',
  'contract-tests/{deleteSubject/consents,deleteSubject/receipt,exportReadings/200,exportReadings/accounts}.test.ts',
  'contract-tests/delivery/{active-topics,person,schedule}.test.ts',
  'contract-tests/{getHistory/200,getSubject/200,getSubject/accounts,getSubject/scale,listAccesses/unknown-person}.test.ts',
  'contract-tests/ingest/{200,409,500,samples,samples-rules}.test.ts',
  'contract-tests/ingestBatch/{200,backfill,limits,tokens}.test.ts',
  'contract-tests/{listSessions/200,listWebhooks/health,metrics/availability,metrics/metrics}.test.ts',
  'contract-tests/{person/read-state,person/read-tokens,putConsent/200,putConsent/409,submitSource/200}.test.ts',
  'contract-tests/process/access-record.test.ts',
  'contract-tests/{alerts/schedule,delivery/fairness,delivery/ordered-retries,oauth/own-sessions}.test.ts',
  // Two versions run on one MySQL database in store/side-by-side each time.
  'contract-tests/store/way-back.test.ts',
];
/**
 * Tests that run on SQLite only with TEST_SLOW=1, because the other database shows more: it has limits of lengths and
 * character sets, and serves several processes as a rule. way-back.test.ts runs two versions on SQLite each time.
 */
const slowOnSqlite = ['contract-tests/{accounts/ends,hostile/fields,store/side-by-side}.test.ts'];
/**
 * Tests of benchmarks, of checks that inject faults or call every operation, of the Dredd runner itself, of long simulations,
 * of query plans and encrypted backups, and of packages that are packed, installed and compiled. They load every core for minutes
 * and run with TEST_SLOW=1.
 */
const slow = [
  'lab/**',
  'contract-tests/dredd/dredd-catches.test.ts',
  'contract-tests/ingest/{handed-watch,whole-days}.test.ts',
  'contract-tests/process/{backup-encryption,package}.test.ts',
  'contract-tests/store/query-plans.test.ts',
  'packages/client/tests/{packed,package.python,ai-sdk/ai-sdk-types}.test.ts',
  'packages/tools/tests/benchmark.test.ts',
  'scripts/{contract/check,packages,release}.test.ts',
];

export default defineConfig({
  test: {
    env: { TEST_DATABASE_FOLDER: hasMemoryFolder() ? memoryFolder : tmpdir() },
    include: ['{src,packages,examples,scripts,contract-tests,lab}/**/*.test.ts'],
    exclude: [
      '**/node_modules/**',
      // An embedded database has no outages and no replicas, so these tests run only on MySQL.
      ...(isMysql ? onceOnly : ['**/*.mysql.*']),
      ...(process.env['TEST_SLOW'] === '1' ? [] : [...slow, ...(isMysql ? slowOnMysql : slowOnSqlite)]),
      ...(hasCommands('curl', 'jq') ? [] : ['**/*.curl.*']),
      ...(hasCommands('redis-server') ? [] : ['**/*.redis.*']),
      ...(hasCommands('mosquitto') ? [] : ['**/*.mosquitto.*']),
      ...(hasCommands('promtool') ? [] : ['**/*.promtool.*']),
      ...(hasChromium() ? [] : ['**/*.browser.*']),
      ...(pythonForClient() ? [] : ['**/*.python.*']),
      ...outsideFolders.filter((it) => !isInstalled(it)).map((it) => `${it}/**`),
    ],
    globalSetup: 'scripts/test/build.ts',
    setupFiles: 'testkit/end-of-file.ts',
    // The files of a worker share modules, because loading the modules takes longer than running most files. They do
    // not share services.
    isolate: false,
    // Long, because the machines are slow and busy. No test asserts a duration.
    testTimeout: 400_000,
    hookTimeout: 400_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 120_000 } },
    // More than one per core, because many tests wait. Each worker uses its own services and databases.
    maxWorkers: 4,
    // Room for new objects, MiB. With Node's 16, a twentieth of the processor's time is spent on collecting them.
    execArgv: ['--max-semi-space-size=64'],
    allowOnly: false,
  },
});

function hasMemoryFolder(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize > databasesMax;
  } catch {
    return false;
  }
}
