import { HalyardError } from '@halyard/contracts';

/** A request that does not bring what its route requires. The texts are fixed: clients read them. */
export class AccessRefusedError extends HalyardError {
  /** Whether a token would have been accepted: the answer says so. */
  readonly wantsToken: boolean;
  /** Whether credentials were sent and are not valid; false where they are missing. */
  readonly isRejection: boolean;

  private constructor(message: string, wantsToken: boolean, isRejection: boolean) {
    super('unauthenticated', 'UNAUTHENTICATED', message);
    this.wantsToken = wantsToken;
    this.isRejection = isRejection;
  }

  /** @param isRejection whether something was sent that was taken for a credential, such as a wrong key. */
  static missing(isRejection = false): AccessRefusedError {
    return new AccessRefusedError('Authentication required', true, isRejection);
  }

  static invalidToken(): AccessRefusedError {
    return new AccessRefusedError('Invalid or expired token', true, true);
  }

  static console(isRejection: boolean): AccessRefusedError {
    return new AccessRefusedError('Console access required', false, isRejection);
  }
}
