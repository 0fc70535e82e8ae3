import { backOffCases } from './back-off-cases.ts';
import { checkpointCases } from './checkpoint-cases.ts';
import { claimNextCases } from './claim-next-cases.ts';
import { commitCases } from './commit-cases.ts';
import { concurrencyCases } from './concurrency-cases.ts';
import { createCases } from './create-cases.ts';
import { createdClaimCases } from './created-claim-cases.ts';
import { definitionCases } from './definition-cases.ts';
import { dueCases } from './due-cases.ts';
import { eventCases } from './event-cases.ts';
import type { ExecutionStoreCase } from './execution-store-harness.ts';
import { fencingCases } from './fencing-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { listCases } from './list-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { publishedEventCases } from './published-event-cases.ts';
import { purgeCases } from './purge-cases.ts';
import { quarantineCases } from './quarantine-cases.ts';
import { releaseCases } from './release-cases.ts';
import { requestCases } from './request-cases.ts';
import { resumeCases } from './resume-cases.ts';
import { rewindCases } from './rewind-cases.ts';
import { shareCases } from './share-cases.ts';
import { sharedValueCases } from './shared-value-cases.ts';
import { startRuleCases } from './start-rule-cases.ts';
import { terminateCases } from './terminate-cases.ts';
import { valueCases } from './value-cases.ts';
import { watchCases } from './watch-cases.ts';

/** Those of the port `ExecutionLeases`, which an engine does not have. */
export const executionLeasesCases: readonly ExecutionStoreCase[] = [
  ...createdClaimCases,
  ...backOffCases,
  ...claimNextCases,
  ...shareCases,
  ...dueCases,
];

/** The cases of every execution store. */
export const executionStoreCases: readonly ExecutionStoreCase[] = [
  ...createCases,
  ...createdClaimCases,
  ...ownerCases,
  ...leaseCases,
  ...quarantineCases,
  ...commitCases,
  ...checkpointCases,
  ...releaseCases,
  ...fencingCases,
  ...eventCases,
  ...resumeCases,
  ...publishedEventCases,
  ...requestCases,
  ...terminateCases,
  ...rewindCases,
  ...backOffCases,
  ...claimNextCases,
  ...shareCases,
  ...dueCases,
  ...definitionCases,
  ...concurrencyCases,
  ...startRuleCases,
  ...listCases,
  ...watchCases,
  ...purgeCases,
  ...valueCases,
  ...sharedValueCases,
];
