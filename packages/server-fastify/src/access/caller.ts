import type { User } from '@halyard/contracts';

/** The sender of a request. */
export interface Caller {
  /** The verified user, if any. */
  readonly user: User | undefined;
  /** The IP address, to which limits apply when there is no user. */
  readonly address: string;
}
