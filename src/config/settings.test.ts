import { expect, test } from 'vitest';
import { findMisspelledVariables, listAllSettings } from './settings.js';

const packageVariables = ['SERVICE_URL', 'SERVICE_KEY', 'GATEWAY_OPENAI_URL'];
const others =
  'PATH HOME HOST HOSTNAME LANG PWD TERM TZ USER NODE_ENV NODE_OPTIONS NODE_EXTRA_CA_CERTS PORTS DEBUG CI EDITOR ' +
  'KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP_ADDR STATE_SERVICE_SERVICE_HOST ' +
  'STATE_SERVICE_PORT_80_TCP REDIS_HOST REDIS_PORT REDIS_SERVICE_HOST REDIS_PASSWORD MYSQL_URL MYSQL_HOST ' +
  'DATABASE_HOST DATABASE_NAME DATABASE_USER LOG_FORMAT HTTP_PROXY HTTPS_PROXY NO_PROXY AWS_REGION ' +
  'AWS_SECRET_ACCESS_KEY OPENAI_API_KEY OPENAI_BASE_URL ANTHROPIC_API_KEY OTEL_EXPORTER_OTLP_PROTOCOL ' +
  'npm_config_loglevel INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID NOTIFY_SOCKET STATE_DIRECTORY MAIL SHLVL';

test.each([
  ['RETENTION_READING_HOURS', 'RETENTION_READINGS_HOURS'],
  ['WEBHOOK_ALOW_HTTP', 'WEBHOOK_ALLOW_HTTP'],
  ['WEBHOK_ALLOW_HTTP', 'WEBHOOK_ALLOW_HTTP'],
  ['SECRET_KEY', 'SECRETS_KEY'],
  ['DATABSE_URL_FILE', 'DATABASE_URL_FILE'],
  ['log_level', 'LOG_LEVEL'],
  ['BACKUP_STATUSFILE', 'BACKUP_STATUS_FILE'],
  ['GATEWAY_OPENAPI_URL', 'GATEWAY_OPENAI_URL'],
  ['SERVICE_KEYS', 'SERVICE_KEY'],
])('%s is probably %s', (name, known) => {
  expect(findMisspelledVariables({ [name]: '1' }, packageVariables)).toEqual([
    `${name} is not a variable of this service: did you mean ${known}?`,
  ]);
});

test('variables of other programs cause no warning', () => {
  expect(
    findMisspelledVariables(Object.fromEntries(others.split(' ').map((name) => [name, '1'])), packageVariables),
  ).toEqual([]);
});

test('variables of every command cause no warning', () => {
  const names = [...listAllSettings().map(({ name }) => name), ...packageVariables];
  expect(findMisspelledVariables(Object.fromEntries(names.map((name) => [name, '1'])), packageVariables)).toEqual([]);
});
