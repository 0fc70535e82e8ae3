import type { Logger, Span } from '@halyard/contracts';
import { CorrelatedLogger, toTraceIds } from '../../../telemetry/correlated-logger.ts';
import type { LiveExecution } from './live-execution.ts';

interface LogSource {
  readonly stepId?: string;
  readonly span?: Span | undefined;
}

/**
 * A logger whose lines name the execution, and the step if `source` is one.
 *
 * @param source what logs; default: the workflow itself.
 */
export function executionLogger(logger: Logger, execution: LiveExecution, source: LogSource = execution): Logger {
  return new CorrelatedLogger(logger, () => executionIds(execution, source));
}

function executionIds({ conversationId, id, userId, workflow }: LiveExecution, { span, stepId }: LogSource): object {
  return {
    workflowId: workflow.id,
    executionId: id,
    ...(stepId !== undefined && { stepId }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(span && toTraceIds(span)),
  };
}
