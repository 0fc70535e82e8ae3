import type { Logger, Span } from '@halyard/contracts';
import { CorrelatedLogger } from '../telemetry/correlated-logger.ts';
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
  return new CorrelatedLogger(logger, new ExecutionIds(execution, place));
}

class ExecutionIds {
  readonly workflowId: string;
  readonly executionId: string;
  declare readonly stepId?: string;
  declare readonly userId?: string;
  declare readonly conversationId?: string;
  declare readonly traceId?: string;
  declare readonly spanId?: string;

  constructor({ conversationId, id, userId, workflow }: LiveExecution, { span, stepId }: Place) {
    this.workflowId = workflow.id;
    this.executionId = id;
    if (stepId !== undefined) this.stepId = stepId;
    if (userId !== undefined) this.userId = userId;
    if (conversationId !== undefined) this.conversationId = conversationId;
    if (span === undefined) return;
    const { spanId, traceId } = span.context;
    this.traceId = traceId;
    this.spanId = spanId;
  }
}
