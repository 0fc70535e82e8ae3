import { HalyardError } from '@halyard/contracts';

/**
 * The request does not fulfil the requirement of its route. Clients depend on the messages: do not
 * change them.
 */
export class AccessRefusedError extends HalyardError {
  /** Whether the route accepts a token. The reply then has `WWW-Authenticate: Bearer`. */
  readonly wantsToken: boolean;
  /** Whether invalid credentials were sent; false if credentials are missing. */
  readonly isRejection: boolean;

  private constructor(message: string, wantsToken: boolean, isRejection: boolean) {
    super('unauthenticated', 'UNAUTHENTICATED', message);
    this.wantsToken = wantsToken;
    this.isRejection = isRejection;
  }

  /** @param isRejection whether an invalid credential, such as a wrong key, was sent. */
  static missing(isRejection: boolean): AccessRefusedError {
    return new AccessRefusedError('Authentication required', true, isRejection);
  }

  static invalidToken(): AccessRefusedError {
    return new AccessRefusedError('Invalid or expired token', true, true);
  }

  static console(isRejection: boolean): AccessRefusedError {
    return new AccessRefusedError('Console access required', false, isRejection);
  }
}
