import { HalyardError, type Suspension } from '@halyard/contracts';

/**
 * A user does not answer in place of an event that only the app and operators publish: whoever starts an order must not be able to confirm its payment.
 *
 * @throws HalyardError (`OPERATION_NOT_ALLOWED`)
 */
export function checkEventAnswer({ event, kind, stepId }: Suspension, isOfUser: boolean): void {
  if (!isOfUser || kind !== 'event' || event?.from === 'owner') return;
  throw new HalyardError(
    'forbidden',
    'OPERATION_NOT_ALLOWED',
    `Step ${stepId} waits for an event of the app, which its users do not answer`,
  );
}
