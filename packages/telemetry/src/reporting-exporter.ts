import type { RecorderOptions } from '@halyard/contracts';

interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Item, Result extends ExportResult> {
  export(items: Item[], done: (result: Result) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Says in the log when its exporter cannot send: once, until it can again. */
export class ReportingExporter<Item, Result extends ExportResult> implements Exporter<Item, Result> {
  readonly #exporter: Exporter<Item, Result>;
  readonly #what: string;
  readonly #logger: RecorderOptions['logger'];
  #fails = false;

  constructor(exporter: Exporter<Item, Result>, what: string, logger: RecorderOptions['logger']) {
    this.#exporter = exporter;
    this.#what = what;
    this.#logger = logger;
  }

  export(items: Item[], done: (result: Result) => void): void {
    this.#exporter.export(items, (result) => {
      const failed = result.code !== 0;
      if (failed && !this.#fails) this.#report(result.error);
      this.#fails = failed;
      done(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }

  /** Of the error its code alone: its text is the collector's, and may repeat what it was sent. */
  #report(error: Error | undefined): void {
    const reason = error !== undefined && 'code' in error ? String(error.code) : error?.name;
    this.#logger.warn({ reason }, `${this.#what} cannot be sent to the OpenTelemetry collector.`);
  }
}
