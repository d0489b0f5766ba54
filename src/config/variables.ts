/** The environment variables of the service. `--help` and docs/configuration.md are generated from this table. */
import { limits, retention, safetyCheck, timestamps } from '../../generated/spec.js';
import {
  createIntegerReader,
  defineOptionalVariable,
  defineVariable,
  listChoices,
  logLevels,
  readKeyHeaders,
  readOrigins,
  readSwitch,
} from '../../packages/settings/variables.js';
import { oauthVariables } from './oauth.js';
import {
  readAddresses,
  readBearerToken,
  readDatabaseUrl,
  readProxies,
  readPublicUrl,
  readRedisUrl,
  readSecretsKeys,
  readSourcesUrl,
} from './read-variable.js';

const quotaMax = 1_000_000_000;
/** Ten years. At least one hour, because the longest history has 60 minutes. */
const retentionHours = createIntegerReader(1, 87_600);
const readText = (text: string) => text;

/** The settings of retentions, and the name of each in the configuration. */
export const retentionSettings = {
  RETENTION_READINGS_HOURS: 'readingsMs',
  RETENTION_READINGS_MAX_HOURS: 'readingsMaxMs',
  RETENTION_IDLE_SESSIONS_HOURS: 'idleSessionsMs',
  RETENTION_DELIVERIES_DAYS: 'deliveriesMs',
  RETENTION_SUMMARY_DAYS: 'summariesMs',
  RETENTION_ACCESS_DAYS: 'accessesMs',
  RETENTION_FEEDBACK_DAYS: 'feedbackMs',
  RETENTION_ERASURES_DAYS: 'erasuresMs',
} as const;

export const variables = {
  HOST: defineVariable('Address to listen on', '127.0.0.1', readText),
  PORT: defineVariable('Port to listen on. 0 selects a free port', '8080', createIntegerReader(0, 65_535)),
  DATABASE_URL: defineVariable(
    'sqlite:FILE, or mysql://USER:PASSWORD@HOST:PORT/DATABASE for MySQL and MariaDB. Of several hosts ' +
      '(HOST:PORT,HOST:PORT), the first usable one counts. For TLS, append ?ssl-mode=REQUIRED, or VERIFY_CA or ' +
      'VERIFY_IDENTITY with &ssl-ca=FILE. Client certificates: &ssl-cert=FILE&ssl-key=FILE',
    'sqlite:./data/state.db',
    readDatabaseUrl,
  ),
  DATABASE_URL_FILE: defineOptionalVariable('File with DATABASE_URL', 'none', readText),
  LOG_LEVEL: defineVariable(`Lowest level to log: ${logLevels.join(', ')}`, 'info', listChoices(logLevels)),
  SECRETS_KEY: defineOptionalVariable(
    'Key for digests of readings, encryption of webhook secrets and signatures of tokens: at least 32 random ' +
      'characters, the same in every process. Several keys, comma-separated, the newest first, replace a key',
    'a file next to an embedded database; required with MySQL',
    readSecretsKeys,
  ),
  SECRETS_KEY_FILE: defineOptionalVariable('File with SECRETS_KEY', 'none', readText),
  REDIS_URL: defineOptionalVariable(
    'redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss: with TLS. Processes share rate limits and notify each other',
    'none: each process counts separately',
    readRedisUrl,
  ),
  MAX_TIMESTAMP_AGE_SECONDS: defineVariable(
    'Maximum age of the timestamp of a reading, in seconds',
    String(timestamps.max_age_seconds),
    createIntegerReader(1, 86_400),
  ),
  RETENTION_READINGS_HOURS: defineOptionalVariable(
    'Hours to keep a reading after its timestamp, 1 to 87,600. At least MAX_TIMESTAMP_AGE_SECONDS',
    `${retention.readings_hours}, or ${retention.earlier_hours} on a database of 1.0.0`,
    retentionHours,
  ),
  RETENTION_READINGS_MAX_HOURS: defineOptionalVariable(
    'Most hours that `accounts set ACCOUNT keep-readings HOURS` may state, 1 to 87,600',
    'RETENTION_READINGS_HOURS',
    retentionHours,
  ),
  RETENTION_IDLE_SESSIONS_HOURS: defineOptionalVariable(
    'Hours to keep a session after its last reading, 1 to 87,600. At least RETENTION_READINGS_HOURS',
    `RETENTION_READINGS_HOURS, at least ${retention.earlier_hours}`,
    retentionHours,
  ),
  RETENTION_DELIVERIES_DAYS: defineVariable(
    'Days to keep a settled delivery, 1 to 3,650',
    String(retention.settled_deliveries_days),
    createIntegerReader(1, 3_650),
  ),
  RETENTION_SUMMARY_DAYS: defineVariable(
    'Days to keep the hours of a person, 0 to 3,650. 0: none. Otherwise readings stay up to 70 minutes longer',
    String(retention.summary_days),
    createIntegerReader(0, 3_650),
  ),
  RETENTION_ACCESS_DAYS: defineVariable(
    'Days to keep the access record, 0 to 3,650. 0: none',
    String(retention.access_days),
    createIntegerReader(0, 3_650),
  ),
  RETENTION_FEEDBACK_DAYS: defineVariable(
    'Days to keep feedback after its timestamp, 1 to 3,650',
    String(retention.feedback_days),
    createIntegerReader(1, 3_650),
  ),
  RETENTION_ERASURES_DAYS: defineVariable(
    'Days to keep digests of erased ids for `restore`, 1 to 3,650. Keep it above the age of the oldest backup',
    String(retention.erasure_days),
    createIntegerReader(1, 3_650),
  ),
  MAX_CONNECTIONS: defineVariable(
    'Open connections. Further ones are closed',
    '10000',
    createIntegerReader(1, 1_000_000),
  ),
  MAX_REQUESTS: defineVariable(
    'Requests in flight, half of them per account. Further ones get a 503',
    '2000',
    createIntegerReader(1, 1_000_000),
  ),
  THREADS: defineVariable(
    'Threads of a process: 2 separate HTTP from the database and the score. With 1, run one process per core',
    '2',
    createIntegerReader(1, 2),
  ),
  MAX_STREAMS: defineVariable(
    'Open streams per process, half of them per account. Further ones get a 503',
    '2000',
    createIntegerReader(1, 1_000_000),
  ),
  KEY_HEADERS: defineVariable(
    'Comma-separated further headers that may contain the key, for clients with a header name of their own',
    'X-Nefesh-Key',
    readKeyHeaders,
  ),
  CORS_ORIGINS: defineOptionalVariable(
    'Comma-separated origins of web pages that may call the service, e.g. https://app.example.com',
    'none',
    readOrigins,
  ),
  TRUST_PROXY: defineVariable(
    'Proxies whose X-Forwarded-For is trusted: their number, or comma-separated addresses and networks, e.g. 10.0.0.0/8',
    '0',
    readProxies,
  ),
  PUBLIC_URL: defineOptionalVariable(
    'URL at which phones and other clients reach the service, e.g. https://state.example.com. http only with a private ' +
      'address, e.g. http://192.168.1.20:8080',
    'none: the dashboard cannot connect phones',
    readPublicUrl,
  ),
  SOURCES_URL: defineOptionalVariable(
    'Further address to listen on, only for what phones post, e.g. http://192.168.1.20:8080',
    'none',
    readSourcesUrl,
  ),
  METRICS_PORT: defineOptionalVariable(
    'Port on HOST that serves /metrics for Prometheus, /healthz and /readyz without a key. 0 selects a free port',
    'none: no metrics',
    createIntegerReader(0, 65_535),
  ),
  BACKUP_STATUS_FILE: defineOptionalVariable(
    'File in which `backup` records the time of the last backup, for a metric',
    'none: no metric',
    readText,
  ),
  SHUTDOWN_DELAY_SECONDS: defineOptionalVariable(
    'Seconds from SIGTERM until the listener closes, 0 to 300. Meanwhile only /readyz fails',
    '0 with an embedded database, otherwise 5',
    createIntegerReader(0, 300),
  ),
  WORKER: defineVariable('1: this process delivers webhooks. 0: only the command `deliver` does', '1', readSwitch),
  WEBHOOK_ALLOW_HTTP: defineVariable('1: allow http: URLs for webhooks', '0', readSwitch),
  WEBHOOK_ALLOW_LOOPBACK: defineOptionalVariable(
    '1: allow webhooks to loopback addresses, for tests',
    '1 with an embedded database, otherwise 0',
    readSwitch,
  ),
  WEBHOOK_DNS_SERVERS: defineOptionalVariable(
    'Nameservers for the names of webhooks: comma-separated IP addresses, each with an optional :port',
    'those of the system',
    readAddresses,
  ),
  WEBHOOK_KEEP_ANSWERS: defineOptionalVariable(
    "1: store the first 1 KB of a receiver's response with each attempt",
    '0 if loopback targets are allowed, because any local service may respond, otherwise 1',
    readSwitch,
  ),
  SAFETY_URL: defineOptionalVariable(
    'URL of an external check of messages, see docs/safety.md: https, or a loopback address',
    'none: only the built-in check',
    readText,
  ),
  SAFETY_SECRET: defineOptionalVariable('Bearer token for SAFETY_URL', 'none', readBearerToken),
  SAFETY_SECRET_FILE: defineOptionalVariable('File with SAFETY_SECRET', 'none', readText),
  SAFETY_TIMEOUT_MS: defineVariable(
    'Milliseconds of a check by SAFETY_URL. Less than GATEWAY_STATE_TIMEOUT_MS',
    String(safetyCheck.timeout_ms),
    createIntegerReader(10, 10_000),
  ),
  GATEWAY_STATE_TIMEOUT_MS: defineVariable(
    'Milliseconds that the gateway waits for a state. Only compared with SAFETY_TIMEOUT_MS',
    String(safetyCheck.gateway_timeout_ms),
    createIntegerReader(10, 10_000),
  ),
  LIMIT_SESSION_REQUESTS_PER_MINUTE: defineVariable(
    'Requests per minute per session. 0: unlimited',
    String(limits.session_requests.quota),
    createIntegerReader(0, quotaMax),
  ),
  LIMIT_NEW_SESSIONS_PER_MINUTE: defineVariable(
    'New sessions per minute per key. 0: unlimited',
    String(limits.new_sessions.quota),
    createIntegerReader(0, quotaMax),
  ),
  LIMIT_FAILED_AUTHENTICATIONS_PER_MINUTE: defineVariable(
    'Failed authentications (401) per minute per address. Further failures get a 429. 0: unlimited',
    String(limits.failed_authentications.quota),
    createIntegerReader(0, quotaMax),
  ),
  LIMIT_STREAMS_PER_KEY: defineVariable(
    'Open streams per key per process. 0: unlimited',
    String(limits.streams.quota),
    createIntegerReader(0, quotaMax),
  ),
  LIMIT_MONTHLY_CALLS: defineOptionalVariable(
    'Calls per month per account, in all tiers. 0: unlimited',
    'by tier',
    createIntegerReader(0, quotaMax),
  ),
  ...oauthVariables,
  TEST_CLOCK_FILE: defineOptionalVariable(
    'For tests: a file with the time in Unix milliseconds. Rename a new file to this path to advance the time',
    'none: the clock of the system',
    readText,
  ),
};
