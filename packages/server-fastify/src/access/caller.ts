import type { User } from '@halyard/contracts';

/** Who sent a request, as far as that was verified. */
export interface Caller {
  readonly user: User | undefined;
  /** Where the request came from: what limits apply to when there is no user. */
  readonly address: string;
}
