import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';

/** Every parameter of a MySQL URL. */
const names = ['ssl-mode', 'ssl-ca', 'ssl-cert', 'ssl-key'] as const;
const modes = ['REQUIRED', 'VERIFY_CA', 'VERIFY_IDENTITY'];

export type TlsParameters = { readonly [Name in (typeof names)[number]]?: string };

/**
 * Returns the parameters of a MySQL URL with one host. Throws if they are unknown or do not fit together. Errors contain
 * no text of the URL, because a misplaced question mark makes a password part of the parameters.
 */
export function readTlsParameters({ hostname, searchParams }: URL): TlsParameters {
  const given = [...searchParams.keys()];
  if (given.some((name) => !(names as readonly string[]).includes(name)))
    throw new Error(`has an unknown parameter: the known ones are ${names.join(', ')}`);
  if (new Set(given).size < given.length) throw new Error('repeats a parameter: use each parameter once');
  const parameters: TlsParameters = Object.fromEntries(searchParams);
  if (given.length === 0) return parameters;
  const { 'ssl-mode': mode = '', 'ssl-ca': ca, 'ssl-cert': cert, 'ssl-key': key } = parameters;
  if (!modes.includes(mode)) throw new Error(`requires ssl-mode, one of ${modes.join(', ')}`);
  if ((mode === 'REQUIRED') !== (ca === undefined))
    throw new Error(
      'requires ssl-ca with VERIFY_CA and VERIFY_IDENTITY, and only with them: REQUIRED verifies nothing',
    );
  if ((cert === undefined) !== (key === undefined))
    throw new Error('sets only one of ssl-cert and ssl-key: set both or neither');
  // The driver compares a certificate only with a host name.
  if (mode === 'VERIFY_IDENTITY' && isIP(hostname.replace(/^\[(.*)\]$/, '$1')))
    throw new Error(
      'has an IP address as host, which ssl-mode=VERIFY_IDENTITY cannot verify: use the host name, or ssl-mode=VERIFY_CA',
    );
  return parameters;
}

/**
 * Returns the TLS settings of a MySQL URL with one host, in the form that the driver expects. Undefined without
 * parameters. Throws like `readTlsParameters`, and for a file that is unreadable or contains no valid certificate or key.
 */
export function readMysqlTls(url: URL) {
  const { 'ssl-mode': mode, 'ssl-ca': ca, 'ssl-cert': cert, 'ssl-key': key } = readTlsParameters(url);
  if (mode === undefined) return undefined;
  const files = {
    ...(ca === undefined ? {} : { ca: readPem('ssl-ca', ca) }),
    ...(cert === undefined ? {} : { cert: readPem('ssl-cert', cert) }),
    ...(key === undefined ? {} : { key: readPem('ssl-key', key) }),
  };
  try {
    createSecureContext(files);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(
      `has ssl-ca, ssl-cert or ssl-key files that OpenSSL cannot load (${message}): check that ssl-key is the unencrypted private key of ssl-cert`,
      {
        cause: error,
      },
    );
  }
  return { rejectUnauthorized: mode !== 'REQUIRED', verifyIdentity: mode === 'VERIFY_IDENTITY', ...files };
}

/** OpenSSL ignores a file of authorities without any certificate. Every server would then be rejected. */
function readPem(name: string, file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`has an unreadable ${name}: ${(error as Error).message}`, { cause: error });
  }
  if (!text.includes('-----BEGIN ')) throw new Error(`has no PEM text in ${name}: ${file}`);
  return text;
}

/**
 * Returns one URL per host of a MySQL URL, in the same order: two for `mysql://user:pw@a:3306,b:3306/db`. Returns the
 * text itself if it has one host or is not a URL.
 */
export function listMysqlUrls(text: string): readonly string[] {
  const [, start = '', hosts = '', end = ''] = /^(mysql:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(text) ?? ['', text];
  return hosts.split(',').map((host) => `${start}${host}${end}`);
}
