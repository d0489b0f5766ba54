/** The environment variables of the service. `--help` and docs/configuration.md are generated from this table. */
import { limits, retention, timestamps } from '../../generated/spec.js';
import {
  createIntegerReader,
  listChoices,
  defineOptionalVariable,
  readAddresses,
  readBearerToken,
  readDatabaseUrl,
  readOrigins,
  readProxies,
  readRedisUrl,
  readSecretsKeys,
  readSwitch,
  defineVariable,
} from './read-variable.js';

const quotaMax = 1_000_000_000;
/** Ten years. At least one hour, because the longest history has 60 minutes. */
const retentionHours = createIntegerReader(1, 87_600);
const readText = (text: string) => text;
const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** The settings of retentions, and the name of each in the configuration. */
export const retentionSettings = {
  RETENTION_READINGS_HOURS: 'readingsMs',
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
    'sqlite:FILE, or mysql://USER:PASSWORD@HOST:PORT/DATABASE for MySQL and MariaDB. Several hosts ' +
      '(HOST:PORT,HOST:PORT) are used in this order: the first usable one. For TLS, append ' +
      '?ssl-mode=REQUIRED, or VERIFY_CA or VERIFY_IDENTITY with &ssl-ca=FILE. Client certificates: &ssl-cert=FILE&ssl-key=FILE',
    'sqlite:./data/state.db',
    readDatabaseUrl,
  ),
  DATABASE_URL_FILE: defineOptionalVariable(
    'File that contains DATABASE_URL, for secrets of a platform. Setting both is an error',
    'none',
    readText,
  ),
  LOG_LEVEL: defineVariable(`Lowest level to log: ${logLevels.join(', ')}`, 'info', listChoices(logLevels)),
  SECRETS_KEY: defineOptionalVariable(
    'Key for the digests that detect resent readings, the encryption of webhook secrets and the signatures of tokens: at ' +
      'least 32 random characters, the same on every replica and worker. Several keys, comma-separated, the newest ' +
      'first, replace a key',
    'stored in a file next to an embedded database; required with MySQL',
    readSecretsKeys,
  ),
  SECRETS_KEY_FILE: defineOptionalVariable(
    'File that contains SECRETS_KEY, for secrets of a platform. Setting both is an error',
    'none',
    readText,
  ),
  REDIS_URL: defineOptionalVariable(
    'redis://USER:PASSWORD@HOST:PORT/NUMBER, or rediss: with TLS. All processes with this Redis share rate limits and notify each other of readings',
    'none: each process counts separately',
    readRedisUrl,
  ),
  MAX_TIMESTAMP_AGE_SECONDS: defineVariable(
    'Maximum age of the timestamp of a reading, in seconds',
    String(timestamps.max_age_seconds),
    createIntegerReader(1, 86_400),
  ),
  RETENTION_READINGS_HOURS: defineVariable(
    'Hours after its timestamp that a reading is stored, 1 to 87,600 (ten years). At least MAX_TIMESTAMP_AGE_SECONDS',
    String(retention.readings_hours),
    retentionHours,
  ),
  RETENTION_IDLE_SESSIONS_HOURS: defineOptionalVariable(
    'Hours after its last reading that a session is stored, 1 to 87,600. At least RETENTION_READINGS_HOURS, because a ' +
      'session and its readings are read and erased together',
    `${retention.idle_sessions_hours}, or RETENTION_READINGS_HOURS if that is more`,
    retentionHours,
  ),
  RETENTION_DELIVERIES_DAYS: defineVariable(
    'Days that a delivered or failed webhook delivery is stored, 1 to 3,650',
    String(retention.settled_deliveries_days),
    createIntegerReader(1, 3_650),
  ),
  RETENTION_SUMMARY_DAYS: defineVariable(
    'Days that the summary of an hour of a person is stored, 0 to 3,650. 0: none is stored. Otherwise readings are ' +
      'stored up to 70 minutes longer, until their hour is complete',
    String(retention.summary_days),
    createIntegerReader(0, 3_650),
  ),
  RETENTION_ACCESS_DAYS: defineVariable(
    'Days that an entry of the access record is stored, 0 to 3,650. 0: accesses are not recorded',
    String(retention.access_days),
    createIntegerReader(0, 3_650),
  ),
  RETENTION_FEEDBACK_DAYS: defineVariable(
    'Days after its timestamp that a report of a person (feedback) is stored, 1 to 3,650. Older reports are rejected',
    String(retention.feedback_days),
    createIntegerReader(1, 3_650),
  ),
  RETENTION_ERASURES_DAYS: defineVariable(
    'Days that the keyed digest of an erased id is stored, 1 to 3,650. `restore` erases these people again. Keep it above ' +
      'the age of the oldest backup',
    String(retention.erasure_days),
    createIntegerReader(1, 3_650),
  ),
  MAX_CONNECTIONS: defineVariable(
    'Maximum number of open connections. Further connections are closed',
    '10000',
    createIntegerReader(1, 1_000_000),
  ),
  MAX_REQUESTS: defineVariable(
    'Maximum number of requests in flight. Further requests get a 503. An account may use half of them',
    '2000',
    createIntegerReader(1, 1_000_000),
  ),
  MAX_STREAMS: defineVariable(
    'Maximum number of open streams per process. Further streams get a 503. An account may open half of them',
    '2000',
    createIntegerReader(1, 1_000_000),
  ),
  CORS_ORIGINS: defineOptionalVariable(
    'Origins of web pages that may call the service, comma-separated, e.g. https://app.example.com',
    'none',
    readOrigins,
  ),
  TRUST_PROXY: defineVariable(
    'Proxies in front of the service whose X-Forwarded-For is trusted: their number, or their addresses and networks, ' +
      'comma-separated, e.g. 10.0.0.0/8',
    '0',
    readProxies,
  ),
  METRICS_PORT: defineOptionalVariable(
    'Port on HOST that serves Prometheus metrics at /metrics, and /healthz and /readyz, without a key. 0 selects a free port',
    'none: no metrics',
    createIntegerReader(0, 65_535),
  ),
  BACKUP_STATUS_FILE: defineOptionalVariable(
    'File in which `backup` records the time of the last backup, for the metrics of the service',
    'none: no metric',
    readText,
  ),
  SHUTDOWN_DELAY_SECONDS: defineOptionalVariable(
    'Seconds from SIGTERM until the listener closes, 0 to 300. Meanwhile /readyz fails and all other requests are served',
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
    'Nameservers that resolve the names of webhooks, as comma-separated IP addresses, each with an optional :port',
    'those of the system',
    readAddresses,
  ),
  WEBHOOK_KEEP_ANSWERS: defineOptionalVariable(
    "1: store the first 1 KB of a receiver's response with each attempt, and show it with failed deliveries",
    '0 if loopback targets are allowed, because any local service may respond. Otherwise 1',
    readSwitch,
  ),
  SAFETY_URL: defineOptionalVariable(
    'URL of an external check of messages: https, or a loopback address. It gets the text of each live message and ' +
      'nothing else, see docs/safety.md',
    'none: only the built-in check',
    readText,
  ),
  SAFETY_SECRET: defineOptionalVariable('Bearer token for SAFETY_URL', 'none', readBearerToken),
  SAFETY_SECRET_FILE: defineOptionalVariable(
    'File that contains SAFETY_SECRET, for secrets of a platform. Setting both is an error',
    'none',
    readText,
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
  TEST_CLOCK_FILE: defineOptionalVariable(
    'For tests: a file with the time in Unix milliseconds that the service uses instead of its clock. Rename a new file ' +
      'to this path to advance the time',
    'none: the clock of the system',
    readText,
  ),
};
