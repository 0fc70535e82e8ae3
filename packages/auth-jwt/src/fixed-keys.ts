import { createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import { ConfigurationError, isProduction, type Logger } from '@halyard/contracts';
import { algorithmsForKey, type JwtAlgorithm } from './jwt-algorithm.ts';
import type { KeySource } from './key-source.ts';

/** Each secret of a list is accepted, so that secrets can be rotated. */
export type Secrets = string | Uint8Array | readonly (string | Uint8Array)[];
export type PublicKeys = string | Uint8Array | KeyObject | readonly (string | Uint8Array | KeyObject)[];

/**
 * @throws ConfigurationError for an empty or invalid secret, and in production for one shorter than
 * 32 bytes.
 */
export function secretKeys(secrets: Secrets, logger: Logger): KeySource {
  const keys = toList(secrets).map((secret) => {
    const bytes = typeof secret === 'string' ? Buffer.from(secret) : secret;
    checkSecret(bytes, logger);
    return createSecretKey(bytes);
  });
  return fixedKeys(keys, ['HS256'], 'secret');
}

/** @throws ConfigurationError for anything but a public key, and for a weak one. */
export function publicKeys(given: PublicKeys): KeySource {
  const keys = toList(given).map(toPublicKey);
  return fixedKeys(keys, [...new Set(keys.flatMap((key) => algorithmsForKey(key).slice(0, 1)))], 'publicKey');
}

function toList<Value>(given: Value | readonly Value[]): readonly Value[] {
  return Array.isArray(given) ? given : [given as Value];
}

/**
 * An HMAC key must be at least as long as the hash (RFC 7518, 3.2). Shorter ones can be guessed
 * offline from any token.
 */
const leastSecretBytes = 32;

function checkSecret(secret: unknown, logger: Logger): void {
  if (!(secret instanceof Uint8Array) || secret.every((byte) => byte <= 0x20)) {
    throw new ConfigurationError('The secret of jwtAuth is empty');
  }
  if (Buffer.from(secret).includes('-----BEGIN ')) {
    throw new ConfigurationError(
      'The secret of jwtAuth is a key in PEM. Pass it as `publicKey`: everyone who has a public key could sign tokens with it',
    );
  }
  if (secret.length >= leastSecretBytes) return;
  const fault = `The secret of jwtAuth has ${secret.length} bytes, and needs ${leastSecretBytes} or more`;
  if (isProduction()) throw new ConfigurationError(`${fault}: create one with \`openssl rand -base64 48\``);
  logger.warn({}, `${fault}. Production refuses it`);
}

function toPublicKey(given: string | Uint8Array | KeyObject): KeyObject {
  const key = given instanceof KeyObject ? given : readPublicKey(given);
  if (key.type !== 'public') throw new ConfigurationError('The publicKey of jwtAuth is not a public key');
  if (algorithmsForKey(key).length === 0) {
    throw new ConfigurationError(
      'The publicKey of jwtAuth must be RSA of 2048 bits or more, or EC on P-256, P-384 or P-521. An RSA-PSS key must name SHA-256, SHA-384 or SHA-512 for both of its hashes. Ed25519 keys work in a key set: use jwksUri',
    );
  }
  return key;
}

function readPublicKey(given: string | Uint8Array): KeyObject {
  const pem = Buffer.from(given).toString();
  if (pem.includes('PRIVATE KEY')) {
    throw new ConfigurationError(
      'The publicKey of jwtAuth is a private key. Verifying tokens needs the public key only',
    );
  }
  try {
    return createPublicKey(pem);
  } catch (error) {
    throw new ConfigurationError('The publicKey of jwtAuth is not a public key in PEM', { cause: error });
  }
}

function fixedKeys(keys: readonly KeyObject[], defaults: readonly JwtAlgorithm[], option: string): KeySource {
  if (keys.length === 0) throw new ConfigurationError(`${option} of jwtAuth is an empty list`);
  return {
    defaults,
    possible: new Set(keys.flatMap(algorithmsForKey)),
    find: ({ alg }) => keys.filter((key) => algorithmsForKey(key).includes(alg)),
  };
}
