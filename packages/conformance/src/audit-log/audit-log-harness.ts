import type { Storage } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** An adapter under test. */
export interface AuditLogHarness {
  /** An empty storage. */
  readonly storage: Pick<Storage, 'audit' | 'users'>;
}

export type AuditLogCase = ConformanceCase<AuditLogHarness>;
