import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../../testkit/command-line.js';
import { allow, setUp } from '../../../testkit/consents.js';
import { startBroker } from '../../../testkit/mosquitto.js';
import { startCommand } from '../../../testkit/process.js';
import { realTime, startTestService, type TestService } from '../../../testkit/service.js';
import { until } from '../../../testkit/until.js';

/** Characters that are wildcards and separators of topics. */
const odd = 'an/na+#$SYS';
const digestOf = (secret: string, id: string) => createHmac('sha256', secret).update(id).digest('hex').slice(0, 16);
const stressed = { heart_rate: 130, tone: 'hostile', sentiment: -1 } as const;

async function start({ url, key }: Pick<TestService, 'url' | 'key'>, broker: string, ...args: string[]) {
  const publishing = startCommand('tools mqtt', ['--broker', broker, '--url', url, ...args], {
    ...{ SERVICE_KEY: key, MQTT_ID_SECRET: 'secret' },
    ...{ MQTT_USERNAME: 'anna', MQTT_PASSWORD: 'mosquitto' },
  });
  await publishing.find(/Press (Ctrl-C)/);
  return publishing;
}

test('a person is a device with sensors, without the id in a topic, until a clean exit', async () => {
  const [service, broker] = [await startTestService({ clock: realTime() }), await startBroker(onTestFinished)];
  const publishing = await start(service, broker.url, '--subject', odd, 'ben', '--home-assistant');
  await service.read({ session_id: 's1', subject_id: odd, ...stressed });
  const topic = `realtime-state/${digestOf('secret', odd)}/state`;
  await until('the state arrives', async () => topic in (await broker.readRetained()));
  const all = await broker.readRetained();
  expect(all[topic]).toMatchObject({
    state: 'acute_stress',
    stress_score: expect.any(Number),
    confidence: expect.any(Number),
    raised: 'no',
  });
  expect(JSON.stringify(all)).not.toMatch(/an\/na|\bs1\b/);
  const config = all[`homeassistant/device/realtime_state_${digestOf('secret', odd)}/config`];
  expect(all[config.availability_topic]).toBe('online');
  for (const [key, sensor] of Object.entries<ReturnType<JSON['parse']>>(config.components)) {
    expect(sensor).toMatchObject({ platform: 'sensor', state_topic: topic, value_template: `{{ value_json.${key} }}` });
    expect(all[topic]).toHaveProperty(key);
  }
  // Nothing is known of the other person.
  expect(Object.keys(all)).toHaveLength(3);
  publishing.signal('SIGINT');
  expect((await publishing.ended).code).toBe(0);
  expect(await broker.readRetained()).toEqual({});
});

test('a state without evidence is unknown, and people who withdraw or are erased disappear', async () => {
  const service = await setUp(await startTestService({ clock: realTime() }), { consent: 'record' });
  const broker = await startBroker(onTestFinished);
  const person = { session_id: 's1', subject_id: 'anna' };
  await service.read({ ...person, derive_sentiment: true, user_message: 'qwrtz plmk vbnm' });
  await service.read({ session_id: 's2', subject_id: 'ben', heart_rate: 70 });
  await start(service, broker.url, '--subject', 'anna', 'ben', '--topic', 'home/state');
  const read = async (id = 'anna') => (await broker.readRetained())[`home/state/${digestOf('secret', id)}/state`];
  await until('the state arrives', async () => (await read()) !== undefined);
  expect(await read()).toMatchObject({ state: 'unknown', stress_score: null, confidence: 0 });
  await service.read({ ...person, heart_rate: 70 });
  await until('the state is known', async () => (await read()).state === 'relaxed');
  expect(await read('ben')).toMatchObject({ state: 'relaxed' });
  await allow(service, 'ben', [], { event_time: new Date().toISOString() });
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  await until('the messages are cleared', async () => !(await read()) && !(await read('ben')));
});

test('after a crash, readers see that nothing publishes; after a restart, what is gone is cleared, and all else is there', async () => {
  const [service, broker] = [await startTestService({ clock: realTime() }), await startBroker(onTestFinished)];
  await service.read({ session_id: 's1', subject_id: 'anna', ...stressed });
  const publishing = await start(service, broker.url, '--subject', 'anna');
  const names = async () => Object.keys(await broker.readRetained());
  await until('all is there', async () => (await names()).length === 2);
  await broker.restart();
  await until('all is there again', async () => (await names()).length === 2);
  publishing.signal('SIGKILL');
  await publishing.ended;
  await until('it is offline', async () => Object.values(await broker.readRetained()).includes('offline'));
  // The person is erased while nothing publishes.
  await service.request('/v1/subjects/anna', { method: 'DELETE' });
  await start(service, broker.url, '--subject', 'anna', '--home-assistant');
  await until('the message is cleared', async () => (await names()).length === 1);
});

// `mosquitto_passwd` wrote the line: the password is `mosquitto`.
const passwordLine =
  'anna:$7$101$JwRdARAitxweBAKJ$i79Uwd47KbVVpY0mCfxybCsIDA9DaWIIwpttx84Jl0vnKrD+fVu92t+Rn0ClOk6rYLuHtFIB4b7yUtvGdzvn5Q==';

test('the credentials of the broker come from the environment', async () => {
  const [service, broker] = [
    await startTestService({ clock: realTime() }),
    await startBroker(onTestFinished, `${passwordLine}\n`),
  ];
  await service.read({ session_id: 's1', subject_id: 'anna', ...stressed });
  await start(service, broker.url, '--subject', 'anna');
  const credentials = { username: 'anna', password: 'mosquitto' };
  await until('the state arrives', async () => Object.keys(await broker.readRetained(credentials)).length === 2);
  const { code, stderr } = await runHere(['tools', 'mqtt', '--broker', broker.url, '--subject', 'anna'], {
    ...{ SERVICE_URL: service.url, SERVICE_KEY: service.key, MQTT_USERNAME: 'anna', MQTT_PASSWORD: 'wrong-secret' },
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: cannot connect to the broker .*check --broker, MQTT_USERNAME and MQTT_PASSWORD\n$/);
  expect(stderr).not.toContain('wrong-secret');
});

test.each([
  [
    'another machine in plain text',
    ['--broker', 'mqtt://192.0.2.1', '--subject', 'a'],
    /not encrypted: use mqtts:\/\//,
  ],
  [
    'credentials in the URL',
    ['--broker', 'mqtts://u:secret-7@h', '--subject', 'a'],
    /set MQTT_USERNAME and MQTT_PASSWORD/,
  ],
  ['another protocol', ['--broker', 'http://h', '--subject', 'a'], /mqtts, wss, mqtt or ws/],
  ['a wildcard', ['--broker', 'mqtts://h', '--subject', 'a', '--topic', 'a/#'], /It must be letters, digits/],
  ['nobody', ['--broker', 'mqtts://h'], /--subject/],
  [
    'no broker there',
    ['--broker', 'mqtt://127.0.0.1:1', '--subject', 'a'],
    /cannot connect to the broker .*check --broker/,
  ],
])('refused with the remedy: %s', async (_, args, expected) => {
  const { code, stderr } = await runHere(['tools', 'mqtt', ...args], { SERVICE_KEY: 'sk_x' });
  expect(stderr).toMatch(expected);
  expect(stderr).not.toContain('secret-7');
  expect(code).toBe(1);
});
