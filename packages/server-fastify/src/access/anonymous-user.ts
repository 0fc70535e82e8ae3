import { ConfigurationError, isExternalId, isProduction, type Logger } from '@halyard/contracts';
import type { HalyardOptions } from '../server-options.ts';
import type { Memories } from './memories.ts';

/** No identity provider issues this id, and a token with it is rejected. */
const defaultAnonymousUserId = 'halyard:anonymous';

type Options = Pick<HalyardOptions, 'anonymousUserId' | 'auth'>;

/**
 * The user to whom conversations without a `userId` belong. Undefined with access control, where
 * every conversation belongs to a verified user.
 *
 * @throws ConfigurationError
 */
export function chooseAnonymousUser({ anonymousUserId = defaultAnonymousUserId, auth }: Options): string | undefined {
  if (anonymousUserId !== false && (typeof anonymousUserId !== 'string' || !isExternalId(anonymousUserId)))
    throw new ConfigurationError(
      'The option `anonymousUserId` must be false or a text of 1 to 256 characters without control characters',
    );
  return auth === undefined && anonymousUserId !== false ? anonymousUserId : undefined;
}

/**
 * The ids that no verified user may have: conversations that were stored without access control
 * belong to them, also before the app chose an id.
 */
export function reservedUserIds({ anonymousUserId }: Pick<Options, 'anonymousUserId'>): ReadonlySet<string> {
  return new Set([defaultAnonymousUserId, ...(typeof anonymousUserId === 'string' ? [anonymousUserId] : [])]);
}

/**
 * Logs at start who owns conversations without a user: in production as a warning, unless the app
 * has decided it.
 */
export function logAnonymousUser(options: Options, { all }: Pick<Memories, 'all'>, logger: Logger): void {
  const anonymous = chooseAnonymousUser(options);
  if (anonymous === undefined || all.length === 0) return;
  const fact = `conversations and memories of requests without a userId belong to the user "${anonymous}"`;
  if (isProduction() && options.anonymousUserId === undefined)
    logger.warn(
      {},
      `${fact}, which all these callers share: set the option \`auth\`, or \`anonymousUserId\` to an id or false`,
    );
  else logger.info({}, fact);
}
