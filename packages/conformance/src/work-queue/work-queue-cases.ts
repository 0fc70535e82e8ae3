import { closeCases } from './close-cases.ts';
import { handOutCases } from './hand-out-cases.ts';
import { sharedCases } from './shared-cases.ts';
import type { WorkQueueCase } from './work-queue-harness.ts';

/** What every work queue must do while nothing fails. What it loses when something does, sweeps find again. */
export const workQueueCases: readonly WorkQueueCase[] = [...handOutCases, ...closeCases, ...sharedCases];
