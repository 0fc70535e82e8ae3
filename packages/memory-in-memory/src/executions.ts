/**
 * The changes of an execution as functions of its tree, for engines that store executions as values
 * of their own.
 */
export { neededChildren, neededEntries, type StoredCheckpoint } from './executions/checkpoints.ts';
export { commitChanges, type CommittedExecutions, toOutcome } from './executions/commit-changes.ts';
export { toChannel, isWaitFor } from './executions/event-waits.ts';
export { InMemoryExecutionMirror } from './executions/in-memory-execution-mirror.ts';
export { pageOf } from './executions/page-of.ts';
export { mayReceive } from './executions/published-events.ts';
export {
  claimRoot,
  quarantineRoot,
  receiveEvent,
  resumeRoot,
  rewindRoot,
  terminateRoot,
} from './executions/root-changes.ts';
export {
  type ExecutionTree,
  isExhausted,
  isFinal,
  isLeased,
  newRecord,
  type StoredChild,
  toExecution,
  listTree,
} from './executions/stored-execution.ts';
