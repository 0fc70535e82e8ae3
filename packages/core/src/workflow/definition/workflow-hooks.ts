import type { ExecutionError, ExecutionStatus, Logger, Suspension } from '@halyard/contracts';
import { callHook } from '../../agent/hooks.ts';
import { executionLogger } from '../runtime/run/execution-logger.ts';
import type { LiveExecution } from '../runtime/run/live-execution.ts';
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

type HookDetails<Name extends keyof WorkflowHooks> =
  Parameters<NonNullable<WorkflowHooks[Name]>> extends [unknown, ...infer Details] ? Details : never;

/** Calls a hook if there is one. A promise only when the hook gave one. */
export function callWorkflowHook<Name extends keyof WorkflowHooks>(
  execution: LiveExecution,
  logger: Logger,
  name: Name,
  ...details: HookDetails<Name>
): void | Promise<void> {
  const { hooks } = execution.workflow;
  if (hooks[name] === undefined) return undefined;
  // The details fit the name by their type, which the compiler cannot follow through the table.
  const hook = hooks[name].bind(hooks) as (info: ExecutionInfo, ...details: readonly unknown[]) => void | Promise<void>;
  const call = (): void | Promise<void> =>
    callHook(executionLogger(logger, execution), name, () => hook(execution.info, ...details));
  return execution.span === undefined ? call() : execution.span.run(call);
}
