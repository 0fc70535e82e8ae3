import type { Executions } from './execution-engine.ts';
import type { ExecutionLeases } from './execution-leases.ts';

/**
 * Stores executions: everything that processes share which run executions by
 * {@link ExecutionLeases}. An adapter implements these ports with one object, because their writes
 * belong to the same transactions.
 */
export interface ExecutionStore extends Executions, ExecutionLeases {}
