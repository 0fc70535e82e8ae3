import type { EventBroker } from './event-broker.ts';
import type { ExecutionIndex } from './execution-index.ts';
import type { ExecutionLeases } from './execution-leases.ts';
import type { ExecutionLog } from './execution-log.ts';

/**
 * Stores executions: everything that processes share which run executions by
 * {@link ExecutionLeases}. An adapter implements these ports with one object, because their writes
 * belong to the same transactions.
 */
export interface ExecutionStore extends ExecutionLog, ExecutionLeases, ExecutionIndex, EventBroker {}
