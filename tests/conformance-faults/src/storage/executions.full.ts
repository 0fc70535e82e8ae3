import { executionStoreCases } from '@halyard/conformance';
import { provesCases, settableClock } from '../proves-cases.ts';
import { backlogFaults } from './backlog-faults.ts';
import { claimNextFaults } from './claim-next-faults.ts';
import { createdClaimFaults } from './created-claim-faults.ts';
import { storeWith } from './execution-fault.ts';
import { executionListFaults } from './execution-list-faults.ts';
import { executionRunnerFaults } from './execution-runner-faults.ts';
import { executionWriteFaults } from './execution-write-faults.ts';
import { placeFaults } from './place-faults.ts';
import { shareFaults } from './share-faults.ts';

const faults = [
  executionWriteFaults,
  executionRunnerFaults,
  executionListFaults,
  claimNextFaults,
  backlogFaults,
  createdClaimFaults,
  placeFaults,
  shareFaults,
];

provesCases(executionStoreCases, faults, (fault) => {
  const { advance, now } = settableClock();
  return { store: storeWith(fault, { now }), advance };
});
