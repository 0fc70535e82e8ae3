import type { ExecutionStatus, Suspension } from '@halyard/contracts';
import type { Waits } from '../waits/waits.ts';
import type { Ending } from './ending.ts';
import type { LiveExecution } from './live-execution.ts';

/** The state in which a run leaves its execution. */
export interface ReleaseState {
  /** `running` when it sleeps, or is left for another process. */
  readonly status: ExecutionStatus;
  readonly suspensions: readonly Suspension[];
  /** When it is due again; null: not before a signal. */
  readonly dueAt: number | null;
}

/**
 * The execution was released: it has ended, is suspended, sleeps, or was left for another process.
 */
export interface ReleasedRun extends ReleaseState {
  readonly kind: 'released';
  readonly root: LiveExecution;
  /** Undefined unless it has ended. */
  readonly ending: Ending | undefined;
  readonly endedAt: number | null;
}

/**
 * How a run releases its execution when no branch is active.
 *
 * @returns undefined when nothing could ever wake the execution.
 */
export function planRelease(waits: Waits, { isDraining }: { readonly isDraining: boolean }): ReleaseState | undefined {
  const suspensions = [...waits.suspensions.values()];
  // Stopped branches can continue at once when the process is shutting down, or a suspension from
  // outside was already resumed.
  if (waits.hasStoppedBranch && (isDraining || !waits.isSuspendedFromOutside))
    return { status: 'running', suspensions, dueAt: 0 };
  const dueAt = waits.nextWakeAt;
  if (suspensions.length > 0) return { status: 'suspended', suspensions, dueAt };
  return dueAt === null ? undefined : { status: 'running', suspensions, dueAt };
}

/** `lost`: another process runs the execution now, or the store failed for too long. */
export type ExecutionRunOutcome = ReleasedRun | { readonly kind: 'lost'; readonly cause: unknown };
