import { type Clock, HalyardError, type Logger } from '@halyard/contracts';
import { isSignedWebhook } from '../webhooks/standard-webhooks.ts';
import type { Hook, HookRequest } from './hook-options.ts';

/**
 * The id of a webhook that the sender of the hook has signed.
 *
 * @throws HalyardError (`WEBHOOK_NOT_ACCEPTED`), the same whatever is wrong.
 */
export async function verifyHook(
  { keys, verify }: Hook,
  request: HookRequest,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<string> {
  const id = verify === undefined ? standardId(keys, request, clock) : await verifiedId(verify, request, logger);
  if (typeof id !== 'string' || id === '' || id.length > 256)
    throw new HalyardError(
      'unauthenticated',
      'WEBHOOK_NOT_ACCEPTED',
      'The signature or the time of the webhook is wrong',
    );
  return id;
}

function standardId(keys: readonly Buffer[], { body, headers }: HookRequest, clock: Clock): string | undefined {
  const { 'webhook-id': id = '', 'webhook-signature': signature = '', 'webhook-timestamp': timestamp = '' } = headers;
  return isSignedWebhook({ id, timestamp, signature, body }, keys, clock.now()) ? id : undefined;
}

/** A request that the app's function cannot read is not one of the sender. */
async function verifiedId(
  verify: NonNullable<Hook['verify']>,
  request: HookRequest,
  logger: Logger,
): Promise<string | undefined> {
  try {
    return await verify(request);
  } catch (error) {
    logger.warn({ err: error }, '`verify` of a hook failed, so the webhook is refused');
    return undefined;
  }
}
