import type { Logger, Span } from '@halyard/contracts';

/** Adds ids to each line. The fields of the line itself take precedence. */
export class CorrelatedLogger implements Logger {
  readonly #logger: Logger;
  readonly #ids: () => object;

  /** @param ids is called for each line. */
  constructor(logger: Logger, ids: () => object) {
    this.#logger = logger;
    this.#ids = ids;
  }

  debug(fields: object, message: string): void {
    this.#logger.debug(this.#with(fields), message);
  }

  info(fields: object, message: string): void {
    this.#logger.info(this.#with(fields), message);
  }

  warn(fields: object, message: string): void {
    this.#logger.warn(this.#with(fields), message);
  }

  error(fields: object, message: string): void {
    this.#logger.error(this.#with(fields), message);
  }

  #with(fields: object): object {
    return fields instanceof Error ? { ...this.#ids(), err: fields } : { ...this.#ids(), ...fields };
  }
}

/** The ids that a log line carries of its span. */
export function toTraceIds({ context }: Span): { readonly traceId: string; readonly spanId: string } {
  const { spanId, traceId } = context;
  return { traceId, spanId };
}
