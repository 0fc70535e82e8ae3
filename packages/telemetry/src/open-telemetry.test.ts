import { AbortedError, type SpanRecord, spanKinds } from '@halyard/contracts';
import { context, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { opened, type Opened } from './testing/opened.ts';
import { OtlpReceiver, type OtlpSpan, plain } from './testing/otlp-receiver.ts';

let collector: OtlpReceiver;
let open: Opened | undefined;

beforeEach(async () => {
  collector = await OtlpReceiver.listen();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
  vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
});

afterEach(async () => {
  await open?.close();
  open = undefined;
  vi.unstubAllEnvs();
  await collector[Symbol.asyncDispose]();
});

describe('with an SDK of its own', () => {
  it('sends the spans that the sink receives: same ids, parents, times and attributes', async () => {
    open = await opened();
    const { recorder, received } = open;
    const elsewhere = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const before = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) };

    const run = recorder.start({ name: 'invoke_agent Shop', parent: elsewhere, isEntry: true, links: [before] });
    run.setAttributes({
      'gen_ai.usage.input_tokens': 12,
      'gen_ai.request.temperature': 0.5,
      tags: ['a', 'b'],
      ok: true,
    });
    run.run(() => {
      const call = recorder.start({
        name: 'chat small',
        kind: spanKinds.client,
        attributes: { 'gen_ai.request.model': 'small' },
      });
      call.addEvent('first token', { index: 0 });
      call.end({ error: new RangeError('Too long'), attributes: { 'halyard.step': 0 } });
    });
    run.end({ error: new AbortedError() });
    await open.close();

    expect(collector.spans.map(fromOtlp)).toEqual(received.ended.map(fromRecord));
    expect(received.started.map(({ spanId }) => spanId)).toEqual([
      run.context.spanId,
      received.named('chat small')?.spanId,
    ]);
    expect(received.named('invoke_agent Shop')).toMatchObject({
      traceId: elsewhere.traceId,
      parentSpanId: elsewhere.spanId,
      isEntry: true,
      links: [before],
      attributes: { 'error.type': 'ABORTED', 'halyard.outcome': 'aborted' },
      instrumentationScope: { name: '@halyard/core' },
    });
    expect(received.named('chat small')).toMatchObject({
      parentSpanId: run.context.spanId,
      isEntry: false,
      kind: spanKinds.client,
      attributes: { 'gen_ai.request.model': 'small', 'halyard.step': 0, 'error.type': 'RangeError' },
      status: { code: 2, message: 'Too long' },
      startTime: 1_790_000_002_000,
      endTime: 1_790_000_004_000,
    });
  });

  it('sends no text of an event or an error where content is not recorded', async () => {
    open = await opened({}, false);
    const span = open.recorder.start({ name: 'run' });
    span.addEvent('retry', { attempt: 1 }, { 'exception.message': 'my secret' });
    span.end({ error: new RangeError('my secret') });
    await open.close();

    const [sent] = collector.spans.map(fromOtlp);
    expect(sent).toEqual(open.received.ended.map(fromRecord)[0]);
    expect(sent).toMatchObject({
      status: { code: 2, message: 'RangeError' },
      events: [{ attributes: { attempt: 1 } }],
    });
  });

  it('sends logs with the ids of the span that they belong to', async () => {
    open = await opened();
    const span = open.recorder.start({ name: 'run' });

    open.exportLog?.({
      timestamp: 1_790_000_000_123,
      traceId: span.context.traceId,
      spanId: span.context.spanId,
      severityNumber: 13,
      severityText: 'WARN',
      body: 'The model is slow.',
      attributes: { agentId: 'shop', count: 3 },
    });
    await open.close();

    const [log] = collector.logs;
    expect(log).toMatchObject({
      timeUnixNano: '1790000000123000000',
      traceId: span.context.traceId,
      spanId: span.context.spanId,
      severityNumber: 13,
      severityText: 'WARN',
      body: { stringValue: 'The model is slow.' },
    });
    expect(plain(log?.attributes ?? [])).toEqual({ agentId: 'shop', count: 3 });
  });

  it('is the active span for code that uses the API, and passes the spans of such code to the sink', async () => {
    open = await opened();
    const { recorder, received } = open;
    const run = recorder.start({ name: 'execute_tool search' });

    await run.run(async () => {
      await Promise.resolve();
      const query = trace.getTracer('database').startSpan('query', { attributes: { rows: 2 } });
      context.with(trace.setSpan(context.active(), query), () => recorder.start({ name: 'below' }).end());
      query.end();
    });
    run.end();
    await open.close();

    const query = received.named('query');
    expect(query).toMatchObject({
      traceId: run.context.traceId,
      parentSpanId: run.context.spanId,
      isEntry: false,
      attributes: { rows: 2 },
      instrumentationScope: { name: 'database' },
    });
    expect(received.named('below')).toMatchObject({ parentSpanId: query?.spanId, isEntry: false });
    expect(received.ended.map(({ name }) => name)).toEqual(['below', 'query', 'execute_tool search']);
    expect(collector.spans).toHaveLength(3);
  });

  it('returns the active span, and starts a new trace on request', async () => {
    open = await opened();
    const { recorder, received } = open;
    const outer = recorder.start({ name: 'outer' });

    expect(recorder.active()).toBeUndefined();
    outer.run(() => {
      expect(recorder.active()).toEqual(outer.context);
      recorder.start({ name: 'new trace', parent: null }).end();
    });

    expect(received.named('new trace')).toMatchObject({ parentSpanId: null, isEntry: true });
    expect(received.named('new trace')?.traceId).not.toBe(outer.context.traceId);
  });

  it('uses the name of the service unless the environment defines one', async () => {
    vi.stubEnv('OTEL_SERVICE_NAME', 'shop-eu');
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=staging');
    open = await opened();
    open.recorder.start({ name: 'run' }).end();
    await open.close();

    const resource = {
      'service.name': 'shop-eu',
      'service.version': '1.2.3',
      'deployment.environment.name': 'staging',
    };
    expect(collector.resource).toMatchObject(resource);
    expect(open.received.named('run')?.resource).toMatchObject(resource);
    expect(
      Object.keys(open.received.named('run')?.resource ?? {}).filter((name) => name.startsWith('process.')),
    ).toEqual([]);
  });

  it('sends the keys of the service as headers, and includes them nowhere else', async () => {
    vi.stubEnv('SERVICE_PUBLIC_KEY', 'public-12345678');
    vi.stubEnv('SERVICE_SECRET_KEY', 'secret-12345678');
    vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-team=blue');
    open = await opened();
    open.recorder.start({ name: 'run' }).end();
    await open.close();

    const [request] = collector.requests;
    expect(request?.headers).toMatchObject({
      'x-public-key': 'public-12345678',
      'x-secret-key': 'secret-12345678',
      'x-team': 'blue',
    });
    expect(JSON.stringify([request?.body, open.received, open.warnings])).not.toContain('12345678');
  });

  it('sends spans in the binary format by default', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', undefined);
    await using binary = await OtlpReceiver.listen({ reads: 'bytes' });
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', binary.url);
    open = await opened();
    open.recorder.start({ name: 'a span with a name' }).end();
    await open.close();

    const [request] = binary.requests;
    expect(request?.path).toBe('/v1/traces');
    expect(request?.headers['content-type']).toBe('application/x-protobuf');
    expect(request?.bytes.includes('a span with a name')).toBe(true);
  });
});

describe('an unsampled span', () => {
  it('is sent nowhere, and neither are its children', async () => {
    vi.stubEnv('OTEL_TRACES_SAMPLER', 'always_off');
    open = await opened();
    const run = open.recorder.start({ name: 'run' });
    run.setAttributes({ unseen: true });
    run.run(() => open?.recorder.start({ name: 'below' }).end());
    run.end();
    await open.close();

    expect(run.isRecording).toBe(false);
    expect(run.context).toMatchObject({ isSampled: false, traceId: expect.stringMatching(/^[\da-f]{32}$/) });
    expect([...open.received.started, ...open.received.ended, ...collector.spans]).toEqual([]);
  });

  it('belongs to a trace that the caller does not sample', async () => {
    open = await opened();
    const caller = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: false };
    const run = open.recorder.start({ name: 'run', parent: caller, isEntry: true });
    run.end();

    expect(run.context).toMatchObject({ traceId: caller.traceId, isSampled: false });
    expect(open.received.started).toEqual([]);
  });

  it('is created when the SDK is disabled', async () => {
    vi.stubEnv('OTEL_SDK_DISABLED', 'true');
    open = await opened();
    const run = open.recorder.start({ name: 'run' });
    run.run(() => open?.recorder.start({ name: 'below' }).end());
    run.end();
    await open.close();

    expect(run.context).toMatchObject({ isSampled: false, spanId: expect.stringMatching(/^(?!0+$)[\da-f]{16}$/) });
    expect([...open.received.started, ...collector.requests]).toEqual([]);
    expect(open.warnings.map(({ message }) => message)).toEqual(['OTEL_SDK_DISABLED is set: no spans are recorded.']);
  });
});

describe('a closed recorder', () => {
  it('records nothing more and throws nothing', async () => {
    open = await opened();
    const late = open.recorder.start({ name: 'late' });
    await open.close();
    late.setAttributes({ late: true });
    late.end();
    const after = open.recorder.start({ name: 'after' });
    after.end();

    expect(after.isRecording).toBe(false);
    expect(late.run(() => 'runs')).toBe('runs');
    expect(open.received.started.map(({ name }) => name)).toEqual(['late']);
    expect(open.received.ended).toEqual([]);
  });

  it('unregisters its SDK, so that the next server of the process sends spans', async () => {
    open = await opened();
    await open.close();
    open = await opened();
    open.recorder.start({ name: 'second' }).end();
    await open.close();

    expect(collector.spans.map(({ name }) => name)).toEqual(['second']);
  });

  it('does not wait for a collector that does not answer', async () => {
    await using silent = await OtlpReceiver.listen({ answers: false });
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', silent.url);
    open = await opened({ closeTimeoutMs: 50 });
    open.recorder.start({ name: 'run' }).end();

    await open.close();

    expect(open.received.ended).toHaveLength(1);
    expect(open.warnings.map(({ message }) => message)).toContain(
      'Not all spans, logs and metrics could be sent before the server closed.',
    );
  });

  it('does not wait for a collector that is not running', async () => {
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
    open = await opened({ closeTimeoutMs: 200 });
    open.recorder.start({ name: 'run' }).end();
    open.exportLog?.({
      timestamp: 1,
      traceId: null,
      spanId: null,
      severityNumber: 9,
      severityText: 'INFO',
      body: 'x',
      attributes: {},
    });

    await expect(open.close()).resolves.toBeUndefined();
    expect(open.received.ended).toHaveLength(1);
  });
});

it('passes spans to the sink and sends nothing when no endpoint is set', async () => {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', undefined);
  open = await opened();
  open.recorder.start({ name: 'run' }).end();
  await open.close();

  expect(open.exportLog).toBeUndefined();
  expect(open.received.ended.map(({ name }) => name)).toEqual(['run']);
  expect(collector.requests).toEqual([]);
});

function fromOtlp(span: OtlpSpan): object {
  return {
    ids: [span.traceId, span.spanId, span.parentSpanId ?? null],
    name: span.name,
    kind: span.kind - 1,
    times: [Number(span.startTimeUnixNano) / 1e6, Number(span.endTimeUnixNano) / 1e6],
    attributes: plain(span.attributes),
    events: span.events.map(({ attributes, name, timeUnixNano }) => ({
      name,
      time: Number(timeUnixNano) / 1e6,
      attributes: plain(attributes),
    })),
    links: span.links.map(({ spanId, traceId }) => ({ traceId, spanId })),
    // The SDK exports the message of a failed span only.
    status: span.status.code === 2 ? span.status : { code: span.status.code },
  };
}

function fromRecord(span: SpanRecord): object {
  return {
    ids: [span.traceId, span.spanId, span.parentSpanId],
    name: span.name,
    kind: span.kind,
    times: [span.startTime, span.endTime],
    attributes: span.attributes,
    events: span.events,
    links: span.links,
    // The SDK exports the message of a failed span only.
    status: span.status.code === 2 ? span.status : { code: span.status.code },
  };
}
