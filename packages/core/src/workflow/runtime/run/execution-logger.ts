import type { Logger, Span } from '@halyard/contracts';
import { CorrelatedLogger, idsOf } from '../../../telemetry/correlated-logger.ts';
import type { LiveExecution } from './live-execution.ts';

interface Place {
  readonly stepId?: string;
  readonly span?: Span | undefined;
}

/**
 * A logger whose lines say which execution they are of, and which step.
 *
 * @param place the step that logs; default: the workflow itself.
 */
export function executionLogger(logger: Logger, execution: LiveExecution, place: Place = execution): Logger {
  return new CorrelatedLogger(logger, () => executionIds(execution, place));
}

function executionIds({ conversationId, id, userId, workflow }: LiveExecution, { span, stepId }: Place): object {
  return {
    workflowId: workflow.id,
    executionId: id,
    ...(stepId !== undefined && { stepId }),
    ...(userId !== undefined && { userId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(span && idsOf(span)),
  };
}
