import type { FastifyRequest } from 'fastify';
import type { Limits } from '../../admission/limits.ts';
import type { BodySize } from '../../api/define/define-route.ts';
import type { Failure } from '../errors/to-failure.ts';

const bodySize = Symbol('the limit that applies to the body');

/** Only bodies with conversations, and with the files in them, are large. */
const partOf: Readonly<Record<BodySize, number>> = { agent: 1, messages: 1 / 2, default: 1 / 8 };

/** The most bytes of a body. */
export function bodyLimitOf(size: BodySize = 'default', { bodyBytes }: Pick<Limits, 'bodyBytes'>): number {
  return Math.floor(bodyBytes * partOf[size]);
}

/** The part of a route's `config` that says which limit applies to its body. */
export function limitsBody(by: BodySize): object {
  return { [bodySize]: by };
}

/**
 * A failure for a body that is too large says how large it may be and, where a chat may have sent
 * it, what to send instead.
 */
export function withBodyLimit(failure: Failure, { routeOptions }: Pick<FastifyRequest, 'routeOptions'>): Failure {
  const { bodyLimit, config } = routeOptions;
  if (failure.code !== 'BODY_TOO_LARGE' || bodyLimit === undefined) return failure;
  const isOfAgent = Reflect.get(config, bodySize) === ('agent' satisfies BodySize);
  const advice = isOfAgent
    ? '. In a stored conversation, send only the newest message instead of all; send large files as URLs'
    : '';
  return { ...failure, message: `body is too large: at most ${inBytes(bodyLimit)}${advice}` };
}

const mebibyte = 1024 * 1024;

function inBytes(bytes: number): string {
  return bytes < mebibyte ? `${bytes} bytes` : `${Math.floor((bytes * 10) / mebibyte) / 10} MiB`;
}
