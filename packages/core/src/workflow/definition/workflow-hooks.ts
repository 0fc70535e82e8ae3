import type { ExecutionError, ExecutionStatus, Suspension } from '@halyard/contracts';
import type { ExecutionInfo } from './step-context.ts';
import type { StepType } from './step.ts';

export interface StepHookInfo {
  /** As events name it: `approve:3` in a loop. */
  readonly stepId: string;
  readonly stepType: StepType;
}

/**
 * Observers of an execution, also when it runs as a sub-workflow. Hooks are awaited; an error is
 * logged and has no other effect. Their arguments are copies. The process that runs the execution
 * calls them. After a crash a hook may be called again or not at all, and no hook is called for a
 * sub-workflow that is cancelled while it is idle.
 */
export interface WorkflowHooks {
  /** The execution was started, not resumed. */
  readonly onStart?: ((execution: ExecutionInfo) => void | Promise<void>) | undefined;
  readonly onStepStart?: ((execution: ExecutionInfo, step: StepHookInfo) => void | Promise<void>) | undefined;
  readonly onStepEnd?:
    | ((
        execution: ExecutionInfo,
        step: StepHookInfo & {
          readonly status: 'success' | 'skipped' | 'error';
          readonly output?: unknown;
          readonly error?: unknown;
        },
      ) => void | Promise<void>)
    | undefined;
  /** The execution is suspended. `suspension` is the earliest one. */
  readonly onSuspend?: ((execution: ExecutionInfo, suspension: Suspension) => void | Promise<void>) | undefined;
  /** The execution failed. */
  readonly onError?: ((execution: ExecutionInfo, error: unknown) => void | Promise<void>) | undefined;
  /** The execution completed. */
  readonly onFinish?: ((execution: ExecutionInfo, output: unknown) => void | Promise<void>) | undefined;
  /** The execution ended: completed, failed or cancelled. */
  readonly onEnd?:
    | ((
        execution: ExecutionInfo,
        end: {
          readonly status: Extract<ExecutionStatus, 'completed' | 'error' | 'cancelled'>;
          readonly output?: unknown;
          readonly error?: ExecutionError | undefined;
        },
      ) => void | Promise<void>)
    | undefined;
}
