import type { Logger } from '../ports.ts';
import type { Storage } from '../storage.ts';
import type { EventBroker } from './event-broker.ts';
import type { ExecutionIndex } from './execution-index.ts';
import type { ExhaustedExecution } from './execution-leases.ts';
import type { ExecutionLog } from './execution-log.ts';
import type { ExecutionStore } from './execution-store.ts';
import type { Job } from './job.ts';

/** What everybody uses of executions, whoever stores and drives them. */
export interface Executions extends ExecutionLog, ExecutionIndex, EventBroker {}

/**
 * Stores executions and decides which process runs them, instead of a storage: an engine that is a
 * system of its own, such as a cluster.
 */
export interface ExecutionEngine {
  /**
   * Connects to the engine. It keeps the lists in the `executionMirror` of the storage.
   *
   * @returns the storage with the executions of the engine.
   * @throws ConfigurationError
   */
  open(storage: Storage, services: { readonly logger: Logger }): Promise<EngineStorage>;
}

/** A storage whose executions are in an engine. */
export interface EngineStorage extends Omit<Storage, 'executions'> {
  readonly executions: EngineExecutions;
}

export interface EngineExecutions extends Executions {
  /**
   * While an app moves to the engine: the storage whose executions processes claim by its leases,
   * beside those that the engine delivers. The other methods reach both. Absent: none.
   */
  readonly stored?: ExecutionStore | undefined;

  /** Begins to accept executions. */
  start(host: ExecutionHost): void;

  /** Ends the connections to the engine. What still runs here continues in other processes. */
  disconnect(): Promise<void>;
}

/** A process that runs what an engine delivers. */
export interface ExecutionHost {
  /** An execution with so many claims in a row without a commit is quarantined: see `isExhausted`. */
  readonly maxClaims: number;

  /** Whether so many executions wait for a slot that more should be delivered later. */
  readonly isFull: boolean;

  /**
   * Claims an execution that was delivered to this process, and runs it.
   *
   * @param signal aborts when another process may have it.
   * @returns `released`: it was released; `unknown`: this process does not have its workflow;
   * `lost`: it could not be claimed, or the run ended without a release.
   * @throws UnavailableError when this process accepts nothing more.
   */
  run(job: Job, signal: AbortSignal): Promise<'released' | 'unknown' | 'lost'>;

  /** Suspends an execution that no process can run. Never rejects. */
  quarantine(exhausted: ExhaustedExecution): Promise<void>;
}
