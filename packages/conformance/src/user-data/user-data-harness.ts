import type { Storage } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface UserDataHarness {
  /** A storage with empty stores. */
  readonly storage: Storage;
}

export type UserDataCase = ConformanceCase<UserDataHarness>;
