import { randomBytes, randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import type { Schema } from '../contract/contract.js';
import type { ReceiptKey, ReceiptKeyTable } from '../store/receipt-keys.js';

/** Seals private keys, so that the database and its copies contain no readable one. */
interface Seal {
  seal(text: string, place: string): string;
  /** Throws if the text cannot be opened. */
  open(sealed: string, place: string): string;
  /** Returns undefined if the newest key has sealed the text. Throws if the text cannot be opened. */
  reseal(sealed: string, place: string): string | undefined;
}

export interface ReceiptParts {
  readonly receiptKeys: ReceiptKeyTable;
  readonly secretBox: Seal;
  /** The time of the database in epoch ms. */
  readonly now: () => number;
}

/** Content of a receipt: the response to the erasure, and who requested it. */
export type ReceiptClaims = Omit<Schema<'Erasure'>, 'receipt'> & { readonly key_id: string };

/** An explicit type (RFC 8725), so that no other JWT of this key is accepted as a receipt. */
const type = 'erasure-receipt+jwt';
const algorithm = 'EdDSA';
const issuer = 'realtime-state-service';
/** A deployment has one key per rotation. */
export const receiptKeysMax = 1_000;

/**
 * Resolves with a function that signs receipts with the newest key. Creates a key if there is none that can be opened.
 * Two processes may create one at the same time: both keys are published, so receipts of both are valid.
 */
export async function openReceipts(parts: ReceiptParts): Promise<(claims: ReceiptClaims) => Promise<string>> {
  const keys = await parts.receiptKeys.list(receiptKeysMax);
  const found = keys.map((key) => openKey(parts.secretBox, key)).find((key) => key !== undefined);
  const { keyId, jwk } = found ?? (await createReceiptKey(parts));
  const privateKey = await importJWK(jwk, algorithm);
  return (claims) => {
    const erasedAtMs = parts.now();
    return new SignJWT({ erased_at: new Date(erasedAtMs).toISOString(), ...claims })
      .setProtectedHeader({ alg: algorithm, typ: type, kid: keyId })
      .setIssuer(issuer)
      .setJti(randomUUID())
      .setIssuedAt(Math.floor(erasedAtMs / 1000))
      .sign(privateKey);
  };
}

/** Creates a key, which signs all later receipts. */
export async function createReceiptKey({ receiptKeys, secretBox, now }: ReceiptParts) {
  const keyId = `rk_${randomBytes(8).toString('hex')}`;
  const jwk = await exportJWK((await generateKeyPair(algorithm, { extractable: true })).privateKey);
  const privateKey = secretBox.seal(JSON.stringify(jwk), placeOf(keyId));
  await receiptKeys.insert({ keyId, publicKey: jwk.x ?? '', privateKey, createdAtMs: now() });
  return { keyId, jwk };
}

/** Creates a key and deletes the private parts of the earlier ones. Their receipts stay verifiable. Returns the id. */
export async function rotateReceiptKey(parts: ReceiptParts): Promise<string> {
  const earlier = await parts.receiptKeys.list(receiptKeysMax);
  const { keyId } = await createReceiptKey(parts);
  for (const key of earlier) if (key.privateKey !== null) await parts.receiptKeys.setPrivateKey(key.keyId, null);
  return keyId;
}

/** Seals the private keys with the newest key of SECRETS_KEY. Deletes those that no key can open. */
export async function resealReceiptKeys(receiptKeys: ReceiptKeyTable, secretBox: Seal): Promise<void> {
  for (const { keyId, privateKey } of await receiptKeys.list(receiptKeysMax)) {
    if (privateKey === null) continue;
    const resealed = attempt(() => secretBox.reseal(privateKey, placeOf(keyId)) ?? privateKey) ?? null;
    if (resealed !== privateKey) await receiptKeys.setPrivateKey(keyId, resealed);
  }
}

/** Returns the public key in the format of a JSON Web Key (RFC 8037). */
export function toPublicJwk({ keyId, publicKey }: ReceiptKey): Schema<'ReceiptKey'> {
  return { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: keyId, x: publicKey };
}

function openKey(secretBox: Seal, { keyId, privateKey }: ReceiptKey): { keyId: string; jwk: JWK } | undefined {
  if (privateKey === null) return undefined;
  return attempt(() => ({ keyId, jwk: JSON.parse(secretBox.open(privateKey, placeOf(keyId))) }));
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Binds a sealed private key to its row. */
function placeOf(keyId: string): string {
  return `receipt key ${keyId}`;
}
