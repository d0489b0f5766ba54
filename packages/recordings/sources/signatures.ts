/** What the headers of a signed body state. */
export interface StatedSignature {
  /** Time of the signature, epoch s. */
  readonly atSeconds: number;
  /** Text that is signed before the body. */
  readonly prefix: string;
  /** Signatures with several secrets, while one replaces another. */
  readonly signatures: readonly string[];
}

/** How a hub signs its bodies: with HMAC-SHA256 of the prefix and the body. */
export interface SignatureScheme {
  /** Form of the secret. Its first group is the key. */
  readonly secret: RegExp;
  readonly keyEncoding: 'utf8' | 'base64';
  readonly signatureEncoding: 'hex' | 'base64';
  /** Returns what the headers state. Undefined if one is missing or not readable. */
  readonly read: (headers: Readonly<Record<string, unknown>>) => StatedSignature | undefined;
}

/** Signatures of Svix, which Open Wearables and Junction use. A retry has a new time and the same id. */
export const svix: SignatureScheme = {
  secret: /^whsec_([\w+/-]{22,}={0,2})$/,
  keyEncoding: 'base64',
  signatureEncoding: 'base64',
  read({ 'svix-id': id = '', 'svix-timestamp': at, 'svix-signature': sent }) {
    const signatures = [...String(sent).matchAll(/(?:^|[ ,])v1,([\w+/-]+={0,2})/g)].map(([, it = '']) => it);
    return state(at, `${String(id)}.${String(at)}.`, signatures);
  },
};

/** Signatures of Terra: `terra-signature: t=1732300000,v1=…`. */
export const terraSignature: SignatureScheme = {
  secret: /^(.+)$/,
  keyEncoding: 'utf8',
  signatureEncoding: 'hex',
  read({ 'terra-signature': header }) {
    const [, at] = /(?:^|,)\s*t=(\d+)/.exec(String(header)) ?? [];
    const signatures = [...String(header).matchAll(/(?:^|,)\s*v1=([\da-f]+)/gi)].map(([, it = '']) => it);
    return state(at, `${at}.`, signatures);
  },
};

function state(at: unknown, prefix: string, signatures: readonly string[]): StatedSignature | undefined {
  if (typeof at !== 'string' || !/^\d{9,12}$/.test(at) || signatures.length === 0) return undefined;
  return { atSeconds: Number(at), prefix, signatures };
}
