import { context, SpanKind, trace } from '@opentelemetry/api';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { opened, type Opened } from './testing/opened.ts';
import { OtlpReceiver } from './testing/otlp-receiver.ts';

let exporter: InMemorySpanExporter;
let processor: SimpleSpanProcessor;
let app: NodeSDK;
let collector: OtlpReceiver;
let open: Opened;

beforeEach(async () => {
  exporter = new InMemorySpanExporter();
  processor = new SimpleSpanProcessor({ exporter });
  app = new NodeSDK({
    spanProcessors: [processor],
    resource: resourceFromAttributes({ 'service.name': 'the-app' }),
    logRecordProcessors: [],
    metricReaders: [],
  });
  app.start();
  collector = await OtlpReceiver.listen();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
  open = await opened();
});

afterEach(async () => {
  await open.close();
  vi.unstubAllEnvs();
  await app.shutdown();
  trace.disable();
  context.disable();
  await collector[Symbol.asyncDispose]();
});

it('uses the SDK of the app, and starts none', async () => {
  const before = provider();
  const run = open.recorder.start({ name: 'run', attributes: { 'entity.type': 'agent' } });
  run.end();

  const [sent] = await finished();
  expect(sent).toMatchObject({
    name: 'run',
    attributes: { 'entity.type': 'agent' },
    instrumentationScope: { name: '@halyard/core' },
  });
  expect(sent?.spanContext()).toMatchObject({ traceId: run.context.traceId, spanId: run.context.spanId });
  expect(open.received.named('run')).toMatchObject({
    ...ids(run),
    resource: { 'service.name': 'the-app', 'service.version': '1.2.3' },
  });
  await open.close();
  expect(provider()).toBe(before);
  expect(open.exportLog).toBeUndefined();
  expect(collector.requests).toEqual([]);
});

it('does not stop the SDK of the app when it closes', async () => {
  await open.close();
  trace.getTracer('app').startSpan('still here').end();

  expect((await finished()).map(({ name }) => name)).toEqual(['still here']);
});

it('makes the first span an entry below a span of the app, because the sink does not receive that span', () => {
  const request = trace.getTracer('http').startSpan('GET /');
  context.with(trace.setSpan(context.active(), request), () => {
    const run = open.recorder.start({ name: 'run' });
    run.run(() => {
      const own = trace.getTracer('app').startSpan('of the app');
      context.with(trace.setSpan(context.active(), own), () => open.recorder.start({ name: 'below' }).end());
      own.end();
    });
    run.end();
  });
  request.end();

  expect(open.received.ended.map(({ isEntry, name }) => [name, isEntry])).toEqual([
    ['below', false],
    ['run', true],
  ]);
  expect(open.received.named('run')?.parentSpanId).toBe(request.spanContext().spanId);
});

it('uses the request span of the app as the parent when both have the same caller', () => {
  const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  const called = trace.setSpanContext(context.active(), { ...caller, traceFlags: 1, isRemote: true });
  const request = trace.getTracer('http').startSpan('POST /', { kind: SpanKind.SERVER }, called);
  context.with(trace.setSpan(context.active(), request), () => {
    open.recorder.start({ name: 'run', parent: caller, isEntry: true }).end();
    open.recorder.start({ name: 'other', parent: { ...caller, spanId: 'c'.repeat(16) }, isEntry: true }).end();
  });
  request.end();

  expect(open.received.named('run')).toMatchObject({ parentSpanId: request.spanContext().spanId, isEntry: true });
  expect(open.received.named('other')?.parentSpanId).toBe('c'.repeat(16));
});

async function finished(): Promise<readonly ReadableSpan[]> {
  await processor.forceFlush();
  return exporter.getFinishedSpans();
}

/** The provider behind the placeholder of the API. */
function provider(): unknown {
  const standIn: object = trace.getTracerProvider();
  return 'getDelegate' in standIn && typeof standIn.getDelegate === 'function' ? standIn.getDelegate() : standIn;
}

function ids({
  context: { spanId, traceId },
}: {
  readonly context: { readonly traceId: string; readonly spanId: string };
}): object {
  return { traceId, spanId };
}
