import type { Logger, RecorderFactory } from '@halyard/contracts';

/**
 * Each of these variables requests an export. See
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
const exportVariables = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_LOGS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_TRACES_EXPORTER',
  'OTEL_LOGS_EXPORTER',
  'OTEL_METRICS_EXPORTER',
] as const;

/** Not a literal type, so that apps without the package can be compiled and bundled. */
const packageName: string = '@halyard/telemetry';

/**
 * The OpenTelemetry recorder, if the app has registered an SDK or an environment variable requests
 * an export. Otherwise undefined; also undefined, with a warning, if `@halyard/telemetry` is not
 * installed. OpenTelemetry is loaded only when it is used.
 */
export async function findOpenTelemetry(logger: Logger): Promise<RecorderFactory | undefined> {
  if (!isRequested()) return undefined;
  try {
    const { openTelemetry } = (await import(packageName)) as { readonly openTelemetry: () => RecorderFactory };
    return openTelemetry();
  } catch (error) {
    logger.warn(
      { err: error },
      'OpenTelemetry is configured, but its recorder could not be loaded: install @halyard/telemetry. Spans are only stored by this server',
    );
    return undefined;
  }
}

function isRequested(): boolean {
  if (process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  return hasGlobalSdk() || exportVariables.some((name) => !['', 'none'].includes(process.env[name]?.trim() ?? ''));
}

/** Reads where `@opentelemetry/api` registers SDKs, without loading it. */
function hasGlobalSdk(): boolean {
  const registered: unknown = Reflect.get(globalThis, Symbol.for('opentelemetry.js.api.1'));
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}
