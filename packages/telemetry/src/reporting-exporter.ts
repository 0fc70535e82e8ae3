import type { RecorderOptions } from '@halyard/contracts';

interface ExportResult {
  readonly code: number;
  readonly error?: Error;
}

interface Exporter<Items, Result extends ExportResult> {
  export(items: Items, done: (result: Result) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** Logs a warning when its exporter starts to fail. */
export class ReportingExporter<Items, Result extends ExportResult> implements Exporter<Items, Result> {
  readonly #exporter: Exporter<Items, Result>;
  readonly #what: string;
  readonly #logger: RecorderOptions['logger'];
  #fails = false;

  constructor(exporter: Exporter<Items, Result>, what: string, logger: RecorderOptions['logger']) {
    this.#exporter = exporter;
    this.#what = what;
    this.#logger = logger;
  }

  export(items: Items, done: (result: Result) => void): void {
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

  /**
   * Logs only the code of the error: its message comes from the collector and may contain exported
   * data.
   */
  #report(error: Error | undefined): void {
    const reason = error !== undefined && 'code' in error ? String(error.code) : error?.name;
    this.#logger.warn({ reason }, `${this.#what} cannot be sent to the OpenTelemetry collector.`);
  }
}
