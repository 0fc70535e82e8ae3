import type { Logger } from '@halyard/contracts';
import { copyJson } from '../../../json/to-json.ts';
import { callWorkflowHook } from '../../definition/workflow-hooks.ts';
import type { Ending } from './ending.ts';
import type { LiveExecution } from './live-execution.ts';

/** Tells the hooks of a workflow how an execution of it ended. A promise only when there are such hooks. */
export function callEndHooks(execution: LiveExecution, logger: Logger, ending: Ending): void | Promise<void> {
  const { hooks } = execution.workflow;
  if (hooks.onEnd === undefined && hooks.onError === undefined && hooks.onFinish === undefined) return undefined;
  return callEach(execution, logger, ending);
}

async function callEach(execution: LiveExecution, logger: Logger, ending: Ending): Promise<void> {
  const { status } = ending;
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
