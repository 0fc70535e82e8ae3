import type { LogRecord, MetricSource, RecorderOptions } from '@halyard/contracts';
import { context, createContextKey, logs, propagation, ROOT_CONTEXT, SeverityNumber, trace } from '@opentelemetry/api';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { ForeignSpans } from './foreign-spans.ts';
import { logProcessors } from './log-exporters.ts';
import { metricExport } from './metric-exporters.ts';
import { scopeName } from './scope.ts';
import { fromSpanContext } from './span-context.ts';
import { spanProcessors } from './span-exporters.ts';
import { version } from './version.ts';

export interface OwnSdk {
  /** Undefined when no exporter of logs is configured. */
  readonly exportLog: ((log: LogRecord) => void) | undefined;
  /** Undefined when no exporter of metrics is configured. */
  readonly exportMetrics: ((source: MetricSource) => void) | undefined;
  /** Sends pending records, for `timeoutMs` at most, and unregisters the SDK. Never rejects. */
  close(timeoutMs: number): Promise<void>;
}

/** Starts an SDK for the process, configured by environment variables. */
export async function startOwnSdk(options: RecorderOptions): Promise<OwnSdk> {
  const { logger, resource: attributes, sink } = options;
  if (process.env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') {
    logger.warn({}, 'OTEL_SDK_DISABLED is set: no spans are recorded.');
  }
  const resource = defaultResource().merge(resourceFromAttributes({ ...attributes }));
  const metrics = await metricExport(resource, options);
  const logRecordProcessors = await logProcessors(logger);
  const hadContextManager = hasContextManager();
  const sdk = new NodeSDK({
    resource,
    spanProcessors: [new ForeignSpans(sink), ...(await spanProcessors(logger))],
    logRecordProcessors: [...logRecordProcessors],
    metricReaders: [],
    instrumentations: [],
  });
  sdk.start();

  return {
    exportLog: logRecordProcessors.length === 0 ? undefined : logSender(),
    exportMetrics: metrics && ((source) => metrics.start(source)),
    close: async (timeoutMs) => {
      const sent = await within(timeoutMs, Promise.all([sdk.shutdown(), metrics?.shutdown()]));
      if (!sent) logger.warn({ timeoutMs }, 'Not all spans, logs and metrics could be sent before the server closed.');
      // Otherwise the next server of the process would use the stopped SDK as that of the app.
      trace.disable();
      logs.disable();
      propagation.disable();
      if (!hadContextManager) context.disable();
    },
  };
}

/** Whether this process already has a context manager. */
function hasContextManager(): boolean {
  const key = createContextKey('probe');
  return context.with(ROOT_CONTEXT.setValue(key, true), () => context.active().getValue(key) === true);
}

function logSender(): (log: LogRecord) => void {
  const sender = logs.getLogger(scopeName, version);
  return ({ attributes, body, severityNumber, severityText, spanId, timestamp, traceId }) => {
    const spanContext =
      traceId === null || spanId === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, fromSpanContext({ traceId, spanId }, false));
    sender.emit({
      timestamp: new Date(timestamp),
      ...(isSeverity(severityNumber) && { severityNumber }),
      severityText,
      body,
      attributes,
      context: spanContext,
    });
  };
}

function isSeverity(value: number): value is SeverityNumber {
  return value in SeverityNumber;
}

async function within(timeoutMs: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const done = work.then(
    () => true,
    () => false,
  );
  const inTime = await Promise.race([done, late]);
  clearTimeout(timer);
  return inTime;
}
