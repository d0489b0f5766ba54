import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type IClientOptions } from 'mqtt';
import { freePorts, startProgram } from './program.js';
import { until } from './until.js';

type AnyBody = ReturnType<JSON['parse']>;

export interface Broker {
  readonly url: string;
  /** Resolves with the retained messages by topic, as a new reader gets them. Objects are parsed. */
  readRetained(credentials?: IClientOptions): Promise<Record<string, AnyBody>>;
  /** Publishes a retained message. */
  retain(topic: string, message: string): Promise<void>;
  /** Kills the server, or starts it again. It keeps nothing. */
  restart(): Promise<void>;
}

/** Starts Mosquitto on loopback. `defer` registers its end. With a password file, it requires a password. */
export async function startBroker(defer: (undo: () => Promise<void>) => void, passwords?: string): Promise<Broker> {
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), 'mosquitto-'));
  const [file, passwordFile] = [join(folder, 'mosquitto.conf'), join(folder, 'passwords')];
  if (passwords !== undefined) await writeFile(passwordFile, passwords, { mode: 0o600 });
  const access = passwords === undefined ? 'allow_anonymous true' : `password_file ${passwordFile}`;
  await writeFile(file, `listener ${port} 127.0.0.1\n${access}\nuser root\n`);
  const start = () => startProgram({ node: 'mosquitto', args: ['-c', file], cwd: folder });
  const url = `mqtt://127.0.0.1:${port}`;
  const isReady = async () => {
    const client = await connectAsync(url, { connectTimeout: 1_000 }, false).catch((error: Error) => error);
    if (!(client instanceof Error)) await client.endAsync();
    return !(client instanceof Error) || /authori[sz]ed/i.test(client.message);
  };
  let server = start();
  defer(async () => {
    await server.stop('SIGKILL');
    await rm(folder, { recursive: true });
  });
  await until('the broker accepts connections', isReady);
  return {
    url,
    async readRetained(credentials) {
      const reader = await connectAsync(url, credentials ?? {}, false);
      const found: Record<string, AnyBody> = {};
      reader.on('message', (topic, bytes) => (found[topic] = parse(bytes.toString())));
      await reader.subscribeAsync('#', { qos: 1 });
      // The broker answers this message after it sent all retained ones.
      const marker = `marker/${Math.random()}`;
      await reader.publishAsync(marker, 'x', { qos: 1 });
      await until('the marker arrives', () => marker in found);
      await reader.endAsync();
      delete found[marker];
      return found;
    },
    async retain(topic, message) {
      const writer = await connectAsync(url, {}, false);
      await writer.publishAsync(topic, message, { qos: 1, retain: true });
      await writer.endAsync();
    },
    async restart() {
      await server.stop('SIGKILL');
      server = start();
      await until('the broker accepts connections', isReady);
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
