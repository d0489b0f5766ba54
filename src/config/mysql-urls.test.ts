import { expect, test } from 'vitest';
import { mysqlUrls } from './mysql-urls.js';
import { readDatabaseUrl } from './read-variable.js';

test('a URL with several hosts becomes one URL per host, in the same order', () => {
  expect(mysqlUrls('mysql://user:p%2Cw@a:3306,b,[::1]:3307/db')).toEqual([
    'mysql://user:p%2Cw@a:3306/db',
    'mysql://user:p%2Cw@b/db',
    'mysql://user:p%2Cw@[::1]:3307/db',
  ]);
});

test.each(['mysql://user:a,b@c@host:3306/db', 'mysql://host/d,b', 'sqlite:a,b', ''])('%j has one host', (text) => {
  expect(mysqlUrls(text)).toEqual([text]);
});

test.each([
  'mysql://user:secret@a:3306,/db',
  'mysql://user:secret@,a/db',
  'mysql://user:secret@a,b:port/db',
  'mysql://user:secret@a,b',
  'mysql://user:secret@a,b/db?ssl=1',
  'mysql://user:secret%ff@a,b/db',
  'mysql://user:secret@a b,c/db',
])('%j is rejected without showing the password', (text) => {
  expect(() => readDatabaseUrl(text)).toThrow('with several hosts as HOST:PORT,HOST:PORT');
  expect(() => readDatabaseUrl(text)).not.toThrow('secret');
});
