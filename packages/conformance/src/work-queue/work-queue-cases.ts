import { closeCases } from './close-cases.ts';
import { handOutCases } from './hand-out-cases.ts';
import { sharedCases } from './shared-cases.ts';
import type { WorkQueueCase } from './work-queue-harness.ts';

/** The cases of every work queue, without failures. Jobs that a failure loses are found by the sweep. */
export const workQueueCases: readonly WorkQueueCase[] = [...handOutCases, ...closeCases, ...sharedCases];
