import type { Storage } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs of an adapter. */
export interface UserDataHarness {
  /** Empty, all parts of it. */
  readonly storage: Storage;
}

export type UserDataCase = ConformanceCase<UserDataHarness>;
