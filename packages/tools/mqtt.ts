/**
 * Publishes the state of people to an MQTT broker, e.g. for Home Assistant. Messages are retained, so that a new reader gets the
 * state at once, and cleared when the data is gone or the command ends. Topics contain a keyed digest of a person's id.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type MqttClient } from 'mqtt';
import { isKnownState, ProblemError, type StateClient, type StateReading } from '../client/src/index.js';
import { describeDevice, discoveryTopic } from './mqtt-discovery.js';
import { connect, explain, type ServiceOptions } from './service.js';
import { stopOnSignals } from './stop-on-signals.js';

export interface MqttOptions extends ServiceOptions {
  /** URL of the broker, without a user name and a password. */
  readonly broker: string;
  readonly subject: readonly string[];
  /** First levels of all topics. */
  readonly topic: string;
  readonly homeAssistant: boolean;
  readonly allowPlain: boolean;
}

/** How often the state is read without an event, because its confidence falls with its age. The first pauses are shorter: the stream may open after a reading. */
const [firstRefreshMs, refreshMs] = [500, 60_000];
const connectMs = 10_000;
/** The person's data is gone, or the key may not read it. */
const absent = [403, 404];

/** Publishes until a signal. Rejects with an error that names the remedy. */
export async function publishStates(options: MqttOptions, env: NodeJS.ProcessEnv): Promise<void> {
  const broker = requireBroker(options);
  const client = connect(options);
  const toDigest = createToDigest(env['MQTT_ID_SECRET'] ?? options.key ?? '');
  const availability = `${options.topic}/${toDigest(options.subject.join(' '))}/availability`;
  const signal = stopOnSignals(0);
  const connection = await connectTo(broker, availability, env);
  const retained = createRetained(connection);
  connection.on('connect', () => void retained.repeat());
  connection.on('error', ({ message }) => console.error(`The broker reports: ${message}. Connecting again`));
  try {
    retained.set(availability, 'online');
    console.log(
      `Publishing ${options.subject.length} people to ${broker}. Press Ctrl-C to stop and clear the messages.`,
    );
    const digests = options.subject.map((subjectId) => [subjectId, toDigest(subjectId)] as const);
    for (const [subjectId, digest] of digests) console.log(`${subjectId}: ${options.topic}/${digest}/state`);
    const people = digests.map(async ([subjectId, digest]) => {
      const topic = `${options.topic}/${digest}/state`;
      const device = options.homeAssistant && describeDevice({ digest, topic, availability });
      await follow(client, subjectId, signal, (reading) => {
        retained.set(topic, reading && toPayload(reading));
        if (device) retained.set(discoveryTopic(digest), reading && JSON.stringify(device));
      });
    });
    await Promise.all(people);
  } catch (error) {
    if (!signal.aborted) throw explain(error, options.url);
  } finally {
    await retained.clear();
    await connection.endAsync();
  }
}

/** Returns the URL of the broker. Throws an error for one that would send secrets or states in plain text. */
function requireBroker({ broker, allowPlain }: MqttOptions): string {
  const { protocol, hostname, username, password } = new URL(broker);
  if (username !== '' || password !== '')
    throw new Error(
      'the URL of the broker contains credentials, which other users of this machine see: set MQTT_USERNAME and MQTT_PASSWORD',
    );
  const isPlain = protocol === 'mqtt:' || protocol === 'ws:';
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (isPlain && !isLocal && !allowPlain)
    throw new Error(
      `${protocol}// is not encrypted: use ${protocol === 'ws:' ? 'wss' : 'mqtts'}://, or --allow-plain in a network that you trust`,
    );
  return broker;
}

/** Returns a function that replaces an id by 16 hex digits. Without the secret, an id cannot be guessed from them. */
function createToDigest(secret: string): (id: string) => string {
  return (id) => createHmac('sha256', secret).update(id).digest('hex').slice(0, 16);
}

/** Connects once. The library connects again after each later end of the connection. */
async function connectTo(broker: string, availability: string, env: NodeJS.ProcessEnv): Promise<MqttClient> {
  const { MQTT_USERNAME: username, MQTT_PASSWORD: password } = env;
  const will = { topic: availability, payload: Buffer.from('offline'), qos: 1, retain: true } as const;
  const credentials = { ...(username && { username }), ...(password && { password }) };
  try {
    return await connectAsync(broker, { ...credentials, will, connectTimeout: connectMs }, false);
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(
      `cannot connect to the broker ${broker} (${message || String(code)}): check --broker, MQTT_USERNAME and MQTT_PASSWORD`,
    );
  }
}

/** Keeps what is retained at the broker. Publishes only changes. */
function createRetained(connection: MqttClient) {
  /** An empty message is none. */
  const values = new Map<string, string>();
  const publish = (topic: string, value: string) => connection.publishAsync(topic, value, { qos: 1, retain: true });
  return {
    /** Publishes a value, or clears it if it is undefined. */
    set(topic: string, value = ''): void {
      // The first value is published also if it is none: a command that crashed may have left a message.
      if (values.get(topic) === value) return;
      values.set(topic, value);
      publish(topic, value).catch(reportFailure);
    },
    /** Publishes everything again, because a broker may have lost it. */
    async repeat(): Promise<void> {
      for (const [topic, value] of values) await publish(topic, value).catch(reportFailure);
    },
    /** Clears every message. A broker that does not respond ends the wait. */
    async clear(): Promise<void> {
      const clearing = Promise.all([...values.keys()].map((topic) => publish(topic, ''))).catch(reportFailure);
      await Promise.race([clearing, sleep(connectMs, undefined, { ref: false })]);
    },
  };
}

function reportFailure(error: unknown): void {
  console.error(`A message was not published: ${(error as Error).message}`);
}

/** Calls `show` with the newest state of a person, and with undefined while there is none. Ends with the signal. */
async function follow(
  client: StateClient,
  subjectId: string,
  signal: AbortSignal,
  show: (reading: StateReading | undefined) => void,
): Promise<void> {
  let isAllowed = true;
  const refresh = async (): Promise<void> => {
    try {
      isAllowed = !(await hasWithdrawn(client, subjectId, signal));
      show(isAllowed ? await client.state({ subject_id: subjectId }, { signal }) : undefined);
    } catch (error) {
      if (!(error instanceof ProblemError && absent.includes(error.status))) throw error;
      show(undefined);
    }
  };
  await refresh();
  const repeated = async (): Promise<void> => {
    for (let waitMs = firstRefreshMs; ; waitMs = Math.min(2 * waitMs, refreshMs)) {
      await sleep(waitMs, undefined, { signal });
      // A service that is unreachable now is reported by the stream.
      await refresh().catch(() => undefined);
    }
  };
  const streamed = async (): Promise<void> => {
    const onDisconnect = () => void refresh().catch(() => undefined);
    const events = client.stream({ subjectId, events: 'reading', onDisconnect }, { signal });
    for await (const { data } of events) if (isAllowed) show(data);
  };
  await Promise.all([repeated(), streamed()]);
}

/** Returns true if the person withdrew the consent. The service keeps earlier states, which the broker should not show. */
async function hasWithdrawn(client: StateClient, subjectId: string, signal: AbortSignal): Promise<boolean> {
  try {
    return (await client.consent(subjectId, { signal })).event_state === 'withdrawn';
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'consent_not_found') return false;
    throw error;
  }
}

/** Returns the message of a state. A state without evidence is unknown. */
function toPayload(reading: StateReading): string {
  const { state, stress_score, confidence, timestamp, raised } = reading;
  const known = isKnownState(reading);
  return JSON.stringify({
    state: known ? state : 'unknown',
    stress_score: known ? stress_score : null,
    confidence: known ? confidence : 0,
    raised: known && raised ? raised.likely : 'no',
    timestamp,
  });
}
