import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Request, Response } from 'express';
import { sources } from '../../generated/spec.js';
import { ProblemError } from '../contract/problem.js';
import { tooLarge } from './body.js';
import type { Chunks } from './signature.js';

const { bytes_max: bytesMax, all_bytes_max: allBytesMax, files_max: filesMax } = sources.unproven;

const fileChunkBytes = 65_536;
/** Memory of a chunk besides its bytes, because a client may send each byte alone. */
const overheadBytes = 512;

/** A body whose signature is not checked yet. */
export interface Unproven {
  readonly chunks: () => Chunks;
  /** Frees the memory or the file. */
  readonly discard: () => void;
}

/**
 * Returns a function that collects a body of a hub. The id of a connection is no secret, so these bodies have a pool of their
 * own: memory per connection and client network, and a file per connection. Rejects with service_unavailable if it is full.
 */
export function createUnproven() {
  const inMemory = new Map<string, number>();
  const withFile = new Set<string>();
  let total = 0;

  return async (sent: AsyncIterable<Buffer>, connection: string, network: string): Promise<Unproven> => {
    const name = `${connection} ${network}`;
    const kept: Buffer[] = [];
    let bytes = 0;
    let file: FileHandle | undefined;
    let isFiled = false;
    const count = (change: number) => {
      bytes += change;
      total += change;
      const all = (inMemory.get(name) ?? 0) + change;
      if (all > 0) inMemory.set(name, all);
      else inMemory.delete(name);
    };
    const hasRoom = (more: number) => (inMemory.get(name) ?? 0) + more <= bytesMax && total + more <= allBytesMax;
    const discard = () => {
      count(-bytes);
      kept.length = 0;
      if (isFiled) withFile.delete(connection);
      isFiled = false;
      void file?.close().catch(() => undefined);
    };
    const moveToFile = async () => {
      if (withFile.has(connection) || withFile.size >= filesMax) throw new Error('too many bytes without a signature');
      withFile.add(connection);
      isFiled = true;
      file = await openTemporaryFile();
      for (const chunk of kept) await file.appendFile(chunk);
      count(-bytes);
      kept.length = 0;
    };
    const keep = async (chunk: Buffer) => {
      const needed = chunk.length + overheadBytes;
      if (!file && !hasRoom(needed)) await moveToFile();
      if (file) return file.appendFile(chunk);
      count(needed);
      kept.push(chunk);
    };
    try {
      for await (const chunk of sent) await keep(chunk).catch(rejectUnavailable);
    } catch (error) {
      discard();
      throw error;
    }
    return { chunks: () => (file ? readFile(file) : kept), discard };
  };
}

/** Opens a file without a name, so that nothing of it remains when the process ends. */
async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `state-service-post-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function* readFile(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const buffer = Buffer.allocUnsafe(fileChunkBytes);
    const { bytesRead } = await file.read({ buffer, position }).catch(rejectUnavailable);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function rejectUnavailable(cause: unknown): never {
  throw new ProblemError('service_unavailable', { cause });
}

/** Yields the body of a request. Throws when `ended` rejects. */
export async function* readChunks(request: Request, response: Response, ended: Promise<never>): AsyncGenerator<Buffer> {
  // The request must not be destroyed, because its connection still carries the response.
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  let bytes = 0;
  for (;;) {
    const { value, done } = await Promise.race([chunks.next(), ended]);
    if (done) return;
    bytes += value.length;
    if (bytes > sources.max_bytes) throw tooLarge(response);
    yield value;
  }
}

export async function collect(chunks: Chunks): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}
