import { createPublicKey, createSecretKey, KeyObject } from 'node:crypto';
import { ConfigurationError, type Logger } from '@halyard/contracts';
import { algorithmsOf, type JwtAlgorithm } from './jwt-algorithm.ts';
import type { KeySource } from './key-source.ts';
import { isProduction } from './production.ts';

/** Several are for a change of secrets: each is accepted. */
export type Secrets = string | Uint8Array | readonly (string | Uint8Array)[];
export type PublicKeys = string | Uint8Array | KeyObject | readonly (string | Uint8Array | KeyObject)[];

/** @throws ConfigurationError for what is no secret, and in production for one shorter than 32 bytes. */
export function secretKeys(secrets: Secrets, logger: Logger): KeySource {
  const keys = listOf(secrets).map((secret) => {
    const bytes = typeof secret === 'string' ? Buffer.from(secret) : secret;
    checkSecret(bytes, logger);
    return createSecretKey(bytes);
  });
  return fixedKeys(keys, ['HS256'], 'secret');
}

/** @throws ConfigurationError for what is no public key, or one that is too weak. */
export function publicKeys(given: PublicKeys): KeySource {
  const keys = listOf(given).map(toPublicKey);
  return fixedKeys(keys, [...new Set(keys.flatMap((key) => algorithmsOf(key).slice(0, 1)))], 'publicKey');
}

function listOf<Value>(given: Value | readonly Value[]): readonly Value[] {
  return Array.isArray(given) ? given : [given as Value];
}

/** An HMAC's key should be as long as its hash (RFC 7518, 3.2): shorter ones can be guessed from any token. */
const leastSecretBytes = 32;

function checkSecret(secret: unknown, logger: Logger): void {
  if (!(secret instanceof Uint8Array) || secret.every((byte) => byte <= 0x20)) {
    throw new ConfigurationError('The secret of jwtAuth is empty');
  }
  if (Buffer.from(secret).includes('-----BEGIN ')) {
    throw new ConfigurationError(
      'The secret of jwtAuth is a key in PEM: whoever has it could sign. Give it as `publicKey`',
    );
  }
  if (secret.length >= leastSecretBytes) return;
  const fault = `The secret of jwtAuth has ${secret.length} bytes, and should have ${leastSecretBytes} or more`;
  if (isProduction()) throw new ConfigurationError(`${fault}: make one with \`openssl rand -base64 48\``);
  logger.warn({}, `${fault}. In production it is refused`);
}

function toPublicKey(given: string | Uint8Array | KeyObject): KeyObject {
  const key = given instanceof KeyObject ? given : readPublicKey(given);
  if (key.type !== 'public') throw new ConfigurationError('The publicKey of jwtAuth is not a public one');
  if (algorithmsOf(key).length === 0) {
    throw new ConfigurationError(
      'The publicKey of jwtAuth must be RSA of 2048 bits or more, or EC on P-256, P-384 or P-521',
    );
  }
  return key;
}

function readPublicKey(given: string | Uint8Array): KeyObject {
  const pem = typeof given === 'string' ? given : Buffer.from(given).toString();
  if (pem.includes('PRIVATE KEY')) {
    throw new ConfigurationError(
      'The publicKey of jwtAuth is a private one, which has no place where tokens are only verified',
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
    possible: new Set(keys.flatMap(algorithmsOf)),
    find: ({ alg }) => keys.filter((key) => algorithmsOf(key).includes(alg)),
  };
}
