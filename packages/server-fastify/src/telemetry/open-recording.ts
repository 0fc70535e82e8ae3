import type { Clock, Logger, LogRecord, Recorder, RecorderFactory, Storage, TelemetryStore } from '@halyard/contracts';
import { createRecorder, Telemetry } from '@halyard/core';
import { findOpenTelemetry } from './find-open-telemetry.ts';

/** How a server records what its agents, tools and workflows do. */
export interface TelemetryOptions {
  /** Whether prompts, answers, arguments and results are recorded; default: yes. */
  readonly recordContent?: boolean;
  /** Where spans and logs are kept. Default: the storage, where it can, else this process. One that is passed in is its owner's to close. */
  readonly store?: TelemetryStore;
  /** Makes the spans. Default: OpenTelemetry where the app registered an SDK or OTEL_* variables ask for an export, else plain records. */
  readonly recorder?: RecorderFactory;
}

/** What records, and what has been recorded. */
export interface Recording {
  readonly telemetry: Telemetry;
  readonly recorder: Recorder;
  /** Sends a line of the log where the spans go too. */
  readonly exportLog: ((log: LogRecord) => void) | undefined;
  /** Sends and writes what waits. */
  close(): Promise<void>;
}

interface Surroundings {
  readonly storage: Pick<Storage, 'telemetry'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export async function openRecording(
  { recordContent = true, recorder: given, store: givenStore }: TelemetryOptions,
  { clock, logger, storage }: Surroundings,
): Promise<Recording> {
  const store = givenStore ?? storage.telemetry ?? (await inMemoryStore());
  const telemetry = new Telemetry({ store, clock, logger });
  const options = { sink: telemetry, clock, logger, recordsContent: recordContent, resource: resourceOf() };
  const factory = given ?? (await findOpenTelemetry(logger));
  if (factory === undefined)
    return { telemetry, recorder: createRecorder(options), exportLog: undefined, close: () => telemetry.close() };

  const opened = await factory.createRecorder(options);
  return {
    telemetry,
    recorder: opened.recorder,
    exportLog: opened.exportLog,
    close: async () => {
      try {
        await opened.close();
      } catch (error) {
        logger.error({ err: error }, 'the recorder could not be closed in order');
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

function resourceOf(): { readonly 'service.name': string } {
  return { 'service.name': process.env['OTEL_SERVICE_NAME']?.trim() || 'halyard' };
}
