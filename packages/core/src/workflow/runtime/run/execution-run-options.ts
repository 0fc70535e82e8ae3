import type { ExecutionStatus, ExecutionStore, JsonValue, Suspension } from '@halyard/contracts';
import type { AgentServices } from '../../../services/agent-services.ts';
import type { ExecutionBus } from '../follow/execution-bus.ts';
import type { WorkflowTraces } from '../spans/workflow-traces.ts';
import type { Ending } from './ending.ts';
import type { LiveExecution } from './live-execution.ts';

/** What activations of one process share. */
export interface ExecutionRunOptions {
  readonly store: ExecutionStore;
  readonly services: AgentServices;
  readonly bus: ExecutionBus;
  /** Undefined where nothing is recorded. */
  readonly traces: WorkflowTraces | undefined;
  /** 0 to 1: spreads the waits before retries. */
  readonly random: () => number;
  readonly atTurnEnd: (work: () => void) => void;
  /** A promise when other work of the process should have its turn. */
  readonly breathe: () => Promise<void> | undefined;
  /** Waits before a commit is tried again that the store failed; false when it is not. */
  readonly retryCommit: (executionId: string, tries: number, error: unknown) => Promise<boolean>;
  /** A step will want to go on then, milliseconds since the epoch. */
  readonly onSleep: (wakeAt: number) => void;
}

/** Step instances that were announced before an executionRun, by execution. */
export type StartedSteps = ReadonlyMap<string, Set<string>>;

export interface ReleasedRun {
  readonly kind: 'released';
  readonly root: LiveExecution;
  /** `running`: it sleeps, or was let go to run elsewhere. */
  readonly status: ExecutionStatus;
  /** Absent unless it has ended. */
  readonly ending: Ending | undefined;
  readonly endedAt: number | null;
  readonly suspensions: readonly Suspension[];
  /** When it wants a runner again; null: not before a signal. */
  readonly dueAt: number | null;
}

/** How an executionRun ended. `lost`: another process is in charge now, or the store failed for too long. */
export type ExecutionRunOutcome = ReleasedRun | { readonly kind: 'lost'; readonly cause: unknown };

/** What a step suspends with. */
export interface SuspendWish {
  readonly kind: Suspension['kind'];
  readonly reason: string;
  readonly data?: JsonValue | undefined;
  /** Default: the path of the step. */
  readonly path?: string;
}
