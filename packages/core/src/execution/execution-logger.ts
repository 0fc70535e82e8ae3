import type { Logger, Span } from '@halyard/contracts';
import type { LiveExecution } from './live-execution.ts';

interface Place {
  readonly stepId?: string;
  readonly span?: Span | undefined;
}

/** Says with each line which execution it is about, and which step; what the line says itself wins. */
export class ExecutionLogger implements Logger {
  readonly #logger: Logger;
  readonly #execution: LiveExecution;
  readonly #place: Place;

  /** @param place the step that logs; default: the workflow itself. */
  constructor(logger: Logger, execution: LiveExecution, place: Place = execution) {
    this.#logger = logger;
    this.#execution = execution;
    this.#place = place;
  }

  debug(fields: object, message: string): void {
    this.#logger.debug(this.#withIds(fields), message);
  }

  info(fields: object, message: string): void {
    this.#logger.info(this.#withIds(fields), message);
  }

  warn(fields: object, message: string): void {
    this.#logger.warn(this.#withIds(fields), message);
  }

  error(fields: object, message: string): void {
    this.#logger.error(this.#withIds(fields), message);
  }

  #withIds(fields: object): object {
    const { conversationId, id, userId, workflow } = this.#execution;
    const { span, stepId } = this.#place;
    return {
      workflowId: workflow.id,
      executionId: id,
      ...(stepId !== undefined && { stepId }),
      ...(userId !== undefined && { userId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(span !== undefined && { traceId: span.context.traceId, spanId: span.context.spanId }),
      ...(fields instanceof Error ? { err: fields } : fields),
    };
  }
}
