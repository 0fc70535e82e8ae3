import type { ExecutionMirror } from '@halyard/contracts';
import type { ConformanceCase } from '../conformance-case.ts';

/** What a case needs from an adapter. */
export interface ExecutionMirrorHarness {
  /** An empty mirror. */
  readonly mirror: ExecutionMirror;
}

export type ExecutionMirrorCase = ConformanceCase<ExecutionMirrorHarness>;
