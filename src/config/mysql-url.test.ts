import { expect, test } from 'vitest';
import { listMysqlUrls } from './mysql-url.js';
import { readDatabaseUrl } from './read-variable.js';

test('a URL with several hosts becomes one URL per host, in the same order', () => {
  expect(listMysqlUrls('mysql://user:p%2Cw@a:3306,b,[::1]:3307/db')).toEqual([
    'mysql://user:p%2Cw@a:3306/db',
    'mysql://user:p%2Cw@b/db',
    'mysql://user:p%2Cw@[::1]:3307/db',
  ]);
});

test.each(['mysql://user:a,b@c@host:3306/db', 'mysql://host/d,b', 'sqlite:a,b', ''])('%j has one host', (text) => {
  expect(listMysqlUrls(text)).toEqual([text]);
});

test.each([
  'mysql://user:secret@a:3306,/db',
  'mysql://user:secret@,a/db',
  'mysql://user:secret@a,b:port/db',
  'mysql://user:secret@a,b',
  'mysql://user:secret%ff@a,b/db',
  'mysql://user:secret@a b,c/db',
])('%j is rejected without showing the password', (text) => {
  expect(() => readDatabaseUrl(text)).toThrow('with several hosts as HOST:PORT,HOST:PORT');
  expect(() => readDatabaseUrl(text)).not.toThrow('secret');
});

test.each([
  ['ssl=1', 'has an unknown parameter: the known ones are ssl-mode, ssl-ca, ssl-cert, ssl-key'],
  ['secret@a', 'has an unknown parameter'],
  ['ssl-mode=REQUIRED&ssl-mode=VERIFY_CA', 'repeats a parameter'],
  ['ssl-mode=PREFERRED', 'requires ssl-mode, one of REQUIRED, VERIFY_CA, VERIFY_IDENTITY'],
  ['ssl-ca=ca.pem', 'requires ssl-mode'],
  ['ssl-mode=VERIFY_CA', 'requires ssl-ca with VERIFY_CA and VERIFY_IDENTITY'],
  ['ssl-mode=REQUIRED&ssl-ca=ca.pem', 'requires ssl-ca with VERIFY_CA and VERIFY_IDENTITY, and only with them'],
  ['ssl-mode=REQUIRED&ssl-cert=c.pem', 'sets only one of ssl-cert and ssl-key'],
  ['ssl-mode=VERIFY_CA&ssl-ca=none.pem', 'has an unreadable ssl-ca: ENOENT'],
  ['ssl-mode=VERIFY_CA&ssl-ca=package.json', 'has no PEM text in ssl-ca: package.json'],
])('the parameters %j of one host or several are rejected', (parameters, message) => {
  for (const hosts of ['a', 'a:3306,b:3306']) {
    const url = `mysql://user:secret@${hosts}/db?${parameters}`;
    expect(() => readDatabaseUrl(url)).toThrow(message);
    expect(() => readDatabaseUrl(url)).not.toThrow('secret');
  }
});

test('VERIFY_IDENTITY is rejected for an IP address, because its certificate could not be verified', () => {
  for (const hosts of ['10.0.0.1', '[::1]:3306', '10.0.0.1,a'])
    expect(() => readDatabaseUrl(`mysql://u@${hosts}/db?ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem`)).toThrow(
      'use the host name, or ssl-mode=VERIFY_CA',
    );
});
