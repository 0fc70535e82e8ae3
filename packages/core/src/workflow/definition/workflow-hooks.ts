import type { ExecutionError, ExecutionStatus, Suspension } from '@halyard/contracts';
import type { ExecutionInfo } from './step-context.ts';
import type { StepType } from './step.ts';

export interface StepHookInfo {
  /** As events name it: `approve:3` in a loop. */
  readonly stepId: string;
  readonly stepType: StepType;
}

/**
 * Observers of an execution, as a sub-workflow too. They are awaited, and one that throws is logged and changes nothing; what they are given is
 * theirs. Each is called when it happens, by the process that runs the execution: after a crash, one may be called again or not at all, and a
 * sub-workflow that is cancelled while it rests is not told.
 */
export interface WorkflowHooks {
  /** It was started, not resumed. */
  onStart?(execution: ExecutionInfo): void | Promise<void>;
  onStepStart?(execution: ExecutionInfo, step: StepHookInfo): void | Promise<void>;
  onStepEnd?(
    execution: ExecutionInfo,
    step: StepHookInfo & {
      readonly status: 'success' | 'skipped' | 'error';
      readonly output?: unknown;
      readonly error?: unknown;
    },
  ): void | Promise<void>;
  /** It came to rest, waiting for somebody: the earliest suspension. */
  onSuspend?(execution: ExecutionInfo, suspension: Suspension): void | Promise<void>;
  /** It failed. */
  onError?(execution: ExecutionInfo, error: unknown): void | Promise<void>;
  /** It completed. */
  onFinish?(execution: ExecutionInfo, output: unknown): void | Promise<void>;
  /** It ended, whichever way. */
  onEnd?(
    execution: ExecutionInfo,
    end: {
      readonly status: Extract<ExecutionStatus, 'completed' | 'error' | 'cancelled'>;
      readonly output?: unknown;
      readonly error?: ExecutionError;
    },
  ): void | Promise<void>;
}
