import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Reads a text file. Throws an error of one line that names the file as it is `shown`, and the remedy. */
export function readText(shown: string, path: string, remedy = ''): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`cannot read ${shown}: ${code === 'ENOENT' ? 'there is no such file' : message}${remedy}`);
  }
}

/** Returns a function that reads the public data files of a folder by their names. */
export function readFrom(folder: string): (file: string) => string {
  return (file) => readText(`${file} in --data ${folder}`, join(folder, file), ': docs/evaluation.md lists its source');
}

/** Returns the content of a text. Throws an error of one line that names what cannot be read or used. */
export function parsing<Content>(problem: string, parse: () => Content): Content {
  try {
    return parse();
  } catch (error) {
    throw new Error(`${problem}: ${(error as Error).message}`);
  }
}
