import { createHmac, type KeyObject, sign } from 'node:crypto';

/** Makes the signature of a token from its first two parts. */
export type Signature = (signed: string) => string;

/** A token of these parts. Strings are used as they are; other values are written as JSON. */
export function forge(header: unknown, payload: unknown, signature: Signature): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${signature(signed)}`;
}

/** A part that contains this text, which may be invalid JSON. */
export function rawPart(text: string | Uint8Array): EncodedPart {
  return new EncodedPart(Buffer.from(text).toString('base64url'));
}

/** A part that is used without encoding. */
export class EncodedPart {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export function hmac(secret: string | Uint8Array, hash = 'sha256'): Signature {
  return (signed) => createHmac(hash, secret).update(signed).digest('base64url');
}

export function byKey(key: KeyObject, hash: string, dsaEncoding: 'der' | 'ieee-p1363' = 'ieee-p1363'): Signature {
  return (signed) => sign(hash, Buffer.from(signed), { key, dsaEncoding }).toString('base64url');
}

export const unsigned: Signature = () => '';

function encode(part: unknown): string {
  if (part instanceof EncodedPart) return part.text;
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
