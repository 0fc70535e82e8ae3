import type { Logger, RecorderFactory } from '@halyard/contracts';

/** Any of these says that spans are to be sent somewhere. See https://opentelemetry.io/docs/specs/otel/protocol/exporter/ */
const exportVariables = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_LOGS_EXPORTER',
] as const;

/** Not a literal, so that apps without OpenTelemetry need not have the package to be compiled or bundled. */
const packageName: string = '@halyard/telemetry';

/**
 * OpenTelemetry's recorder, where the app registered an SDK of its own or the usual environment variables ask for an export; undefined
 * elsewhere, and, with a warning, where `@halyard/telemetry` is not installed. Nothing of OpenTelemetry is loaded before it is wanted.
 */
export async function findOpenTelemetry(logger: Logger): Promise<RecorderFactory | undefined> {
  if (!isWanted()) return undefined;
  try {
    const { openTelemetry } = (await import(packageName)) as { readonly openTelemetry: () => RecorderFactory };
    return openTelemetry();
  } catch (error) {
    logger.warn(
      { err: error },
      'OpenTelemetry is configured, but its recorder could not be loaded: install @halyard/telemetry. Spans stay in this server',
    );
    return undefined;
  }
}

function isWanted(): boolean {
  if (process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  return hasGlobalSdk() || exportVariables.some((name) => !['', 'none'].includes(process.env[name]?.trim() ?? ''));
}

/** Where `@opentelemetry/api` keeps what was registered: found without loading it. */
function hasGlobalSdk(): boolean {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}
