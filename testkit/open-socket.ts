import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface OpenSocket {
  readonly socket: Socket;
  /** Returns all received bytes as Latin-1 text. */
  received(): string;
  /** Returns the error that broke the connection. */
  error(): Error | undefined;
}

/** Opens a connection for bytes that no HTTP client sends. It is closed when the test ends. */
export function openSocket(url: string, options: Partial<NetConnectOpts> = {}): OpenSocket {
  const { hostname, port } = new URL(url);
  const socket = connect({ ...options, host: hostname, port: Number(port) }).setEncoding('latin1');
  onTestFinished(() => void socket.destroy());
  let [text, error]: [string, Error | undefined] = ['', undefined];
  socket.on('data', (chunk) => (text += chunk)).on('error', (failure) => (error = failure));
  return { socket, received: () => text, error: () => error };
}

/** Sends a GET request and reads the first chunk of its response. The rest is read when the socket is resumed. */
export async function openPaused(url: string, headers: Readonly<Record<string, string>>): Promise<OpenSocket> {
  const opened = openSocket(url);
  const { pathname, search } = new URL(url);
  const sent = Object.entries({ Host: 'x', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
  opened.socket.write(`GET ${pathname}${search} HTTP/1.1\r\n${sent.join('')}\r\n`);
  await once(opened.socket, 'data');
  opened.socket.pause();
  return opened;
}
