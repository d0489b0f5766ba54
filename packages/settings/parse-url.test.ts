import { expect, test } from 'vitest';
import { parseUrl } from './parse-url.js';

/** Enough calls for V8 to compile the function. The bug of `URL.canParse` appears only in compiled code. */
const calls = 20_000;

test('a non-ASCII URL is parsed even after V8 has compiled the function', () => {
  for (let call = 0; call < calls; call += 1) parseUrl(`https://hooks.example/${call}`);
  expect(parseUrl('https://bücher.example/zustand/ä')?.hostname).toBe('xn--bcher-kva.example');
});

test.each(['', 'hooks.example', 'https://', 'https://[::1', 'http://1.2.3.4.5.6.7.8.9999999'])(
  '%j is not a URL',
  (text) => {
    expect(parseUrl(text)).toBeUndefined();
  },
);
