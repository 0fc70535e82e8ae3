import type { Logger, Suspension } from '@halyard/contracts';
import { callHook } from '../../../agent/hooks.ts';
import { copyJson } from '../../../json/to-json.ts';
import type { ExecutionInfo } from '../../definition/step-context.ts';
import type { WorkflowHooks } from '../../definition/workflow-hooks.ts';
import type { Ending } from './ending.ts';
import { executionLogger } from './execution-logger.ts';
import type { LiveExecution } from './live-execution.ts';

type HookDetails<Name extends keyof WorkflowHooks> =
  Parameters<NonNullable<WorkflowHooks[Name]>> extends [unknown, ...infer Details] ? Details : never;

/** A hook that never ends would keep its execution in this process, and a slot of the queue. */
const defaultHookTimeoutMs = 10_000;

/**
 * Calls a hook of the execution's workflow, if it has this one, and waits for it up to the time
 * limit. An error or a timeout is logged.
 */
export async function callWorkflowHook<Name extends keyof WorkflowHooks>(
  execution: LiveExecution,
  logger: Logger,
  name: Name,
  ...details: HookDetails<Name>
): Promise<void> {
  const { hooks } = execution.workflow;
  if (hooks[name] === undefined) return;
  // `details` has the type that belongs to `name`; the compiler cannot follow that through the
  // lookup.
  const hook = hooks[name].bind(hooks) as (info: ExecutionInfo, ...details: readonly unknown[]) => void | Promise<void>;
  const ownLogger = executionLogger(logger, execution);
  const limitMs = execution.workflow.hookTimeoutMs ?? defaultHookTimeoutMs;
  const call = async (): Promise<void> => {
    const result = callHook(ownLogger, name, () => hook(execution.info, ...details));
    if (result !== undefined && !(await endsWithin(limitMs, result)))
      ownLogger.warn({ hook: name, limitMs }, 'a hook took too long, and the execution continues without it');
  };
  await (execution.span === undefined ? call() : execution.span.run(call));
}

/** Calls the hooks that report how an execution ended. */
export async function callEndHooks(execution: LiveExecution, logger: Logger, ending: Ending): Promise<void> {
  const { status } = ending;
  const { hooks } = execution.workflow;
  if (hooks.onEnd === undefined && hooks.onError === undefined && hooks.onFinish === undefined) return;
  switch (status) {
    case 'completed':
      await callWorkflowHook(execution, logger, 'onFinish', copyJson(ending.output));
      await callWorkflowHook(execution, logger, 'onEnd', { status, output: copyJson(ending.output) });
      break;
    case 'error':
      await callWorkflowHook(execution, logger, 'onError', ending.cause);
      await callWorkflowHook(execution, logger, 'onEnd', { status, error: ending.error });
      break;
    case 'cancelled':
      await callWorkflowHook(execution, logger, 'onEnd', { status });
      break;
    default:
      status satisfies never;
  }
}

/** Calls `onSuspend` of each execution with the earliest suspension inside it. */
export async function callSuspendHooks(
  executions: readonly LiveExecution[],
  logger: Logger,
  suspensions: readonly Suspension[],
): Promise<void> {
  for (const execution of executions) {
    if (execution.workflow.hooks.onSuspend === undefined) continue;
    const suspension = suspensions.find(({ path }) => execution.contains(path));
    if (suspension !== undefined) await callWorkflowHook(execution, logger, 'onSuspend', copyJson(suspension));
  }
}

async function endsWithin(limitMs: number, work: Promise<void>): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<false>();
  const timer = setTimeout(() => resolve(false), limitMs);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
