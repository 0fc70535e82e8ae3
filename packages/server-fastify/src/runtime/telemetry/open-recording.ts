import type {
  Clock,
  Logger,
  LogRecord,
  MetricSource,
  Recorder,
  RecorderFactory,
  Storage,
  TelemetryStore,
} from '@halyard/contracts';
import type { ModelPrices } from '@halyard/core';
import { createRecorder, Telemetry } from '@halyard/core/server';
import { findOpenTelemetry } from './find-open-telemetry.ts';
import { openPrices } from './open-prices.ts';

/** How a server records its agents, tools and workflows. */
export interface TelemetryOptions {
  /** Whether prompts, replies, arguments and results are recorded; default: yes. */
  readonly recordContent?: boolean | undefined;
  /**
   * Stores spans and logs. Default: the storage, if it has a telemetry store, else this process.
   * The server does not close a store that is passed in.
   */
  readonly store?: TelemetryStore | undefined;
  /**
   * Creates the spans. Default: OpenTelemetry if the app has registered an SDK or OTEL_* variables
   * request an export, else plain records.
   */
  readonly recorder?: RecorderFactory | undefined;
  /**
   * Prices of models in US dollars for a million tokens:
   * `{ 'gpt-5-mini': { input: 0.25, cachedInput: 0.025, output: 2 } }`, or `'bundled'`: those of the
   * package `@pydantic/genai-prices`. Calls of these models are recorded with their cost.
   */
  readonly prices?: ModelPrices | 'bundled' | undefined;
}

/** The recorder of a server, and its records. */
export interface Recording {
  readonly telemetry: Telemetry;
  readonly recorder: Recorder;
  /** Sends a log line to where the spans are exported. */
  readonly exportLog: ((log: LogRecord) => void) | undefined;
  /** Exports metrics to where the spans are exported. */
  readonly exportMetrics: ((source: MetricSource) => void) | undefined;
  /** Sends and writes the waiting records. */
  close(): Promise<void>;
}

interface RecordingServices {
  readonly storage: Pick<Storage, 'telemetry'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export async function openRecording(
  { prices, recordContent = true, recorder: given, store: givenStore }: TelemetryOptions,
  { clock, logger, storage }: RecordingServices,
): Promise<Recording> {
  const store = givenStore ?? storage.telemetry ?? (await inMemoryStore());
  const telemetry = new Telemetry({ store, clock, logger, costOf: await openPrices(prices, logger) });
  const options = { sink: telemetry, clock, logger, recordsContent: recordContent, resource: readResource() };
  const factory = given ?? (await findOpenTelemetry(logger));
  if (factory === undefined)
    return {
      telemetry,
      recorder: createRecorder(options),
      exportLog: undefined,
      exportMetrics: undefined,
      close: () => telemetry.close(),
    };

  const opened = await factory.createRecorder(options);
  return {
    telemetry,
    recorder: opened.recorder,
    exportLog: opened.exportLog,
    exportMetrics: opened.exportMetrics,
    close: async () => {
      try {
        await opened.close();
      } catch (error) {
        logger.error({ err: error }, 'the recorder could not be closed');
      } finally {
        await telemetry.close();
      }
    },
  };
}

async function inMemoryStore(): Promise<TelemetryStore> {
  const { createInMemoryTelemetryStore } = await import('@halyard/memory-in-memory');
  return createInMemoryTelemetryStore();
}

function readResource(): { readonly 'service.name': string } {
  return { 'service.name': process.env['OTEL_SERVICE_NAME']?.trim() || 'halyard' };
}
