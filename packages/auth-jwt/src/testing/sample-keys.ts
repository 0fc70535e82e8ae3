import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { User } from '@halyard/contracts';
import jwt, { type SignOptions } from 'jsonwebtoken';

/** 48 bytes. */
export const secret = 'correct-horse-battery-staple-correct-horse-batte';

export const rsaKeys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
});
export const ecKeys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
});

export const request = { method: 'GET', path: '/agents', headers: {}, address: '127.0.0.1' } as const;

export function pemOf(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'spki' }).toString();
}

/** A token that expires in an hour by the system clock. */
export function signed(claims: User, key: string | KeyObject = secret, options: SignOptions = {}): string {
  return jwt.sign(claims, key, { expiresIn: '1h', ...options });
}
