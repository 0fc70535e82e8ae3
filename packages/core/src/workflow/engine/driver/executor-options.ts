import type { EngineExecutions, ExecutionStore } from '@halyard/contracts';
import type { AgentServices } from '../../../agent/agent-services.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import type { ExecutionBus } from '../../follow/execution-bus.ts';
import type { ExecutionRunOptions, StartExecution } from '../../interpreter/run/execution-run-options.ts';

export interface ExecutorOptions {
  /** Without leases, an engine drives the executions: it calls {@link Executor.host}. */
  readonly store: EngineExecutions | ExecutionStore;
  /** How many executions run in this process at a time. Default: 256. */
  readonly concurrency?: number | undefined;
  readonly bus: ExecutionBus;
  readonly services: AgentServices;
  readonly workflows: ReadonlyMap<string, WorkflowDefinition>;
  /** How long after the last renewal other processes leave an execution to this one. */
  readonly leaseMs: number;
  /**
   * Wait before a failed commit is retried; doubled each time, up to one lease in all. Default: 50.
   */
  readonly commitRetryMs?: number | undefined;
  readonly random?: (() => number) | undefined;
  /** Waits some milliseconds, or until the signal aborts. Default: a timer. */
  readonly delay?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
  readonly start: StartExecution;
  /** Default: 100, or as many as are still needed if these are more. */
  readonly checkpointAfter?: ExecutionRunOptions['checkpointAfter'] | undefined;
  /** The name of this process in leases. Default: a random one. */
  readonly runner?: string | undefined;
}
