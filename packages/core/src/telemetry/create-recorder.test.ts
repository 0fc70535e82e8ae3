import {
  AbortedError,
  type Attributes,
  describedSpan,
  InvalidInputError,
  type Span,
  type SpanRecord,
  type TelemetrySink,
} from '@halyard/contracts';
import { expect, it, suite } from 'vitest';
import { fixedClock } from '../testing/fixed-clock.ts';
import { createRecorder } from './create-recorder.ts';
import { parseTraceParent } from './trace-parent.ts';

function recording(recordsContent = true) {
  const ended: SpanRecord[] = [];
  const started: SpanRecord[] = [];
  const clock = fixedClock(1000);
  const sink: TelemetrySink = {
    spanStarted: (span) => void started.push(span),
    spanEnded: (span) => void ended.push(span),
    logged: () => {},
  };
  return {
    clock,
    ended,
    started,
    recorder: createRecorder({ sink, clock, recordsContent, resource: { 'service.name': 'test' } }),
  };
}

suite('createRecorder', () => {
  it('passes a span to the sink when it starts and when it has ended, with its attributes and events', () => {
    const { clock, ended, recorder, started } = recording();
    const attributes = { a: 1 };

    const span = recorder.start({ name: 'work', attributes });
    expect(started).toHaveLength(1);
    span.setAttributes({ b: 2 });
    span.addEvent('half', { c: 3 });
    clock.advance(20);
    span.end({ attributes: { d: 4 } });
    span.setAttributes({ e: 5 });
    span.end();

    expect(attributes).toEqual({ a: 1 });
    expect(ended).toHaveLength(1);
    expect(JSON.parse(JSON.stringify(ended[0]))).toEqual({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: null,
      isEntry: true,
      name: 'work',
      kind: 0,
      startTime: 1000,
      endTime: 1020,
      attributes: { a: 1, b: 2, d: 4 },
      status: { code: 0 },
      events: [{ name: 'half', time: 1000, attributes: { c: 3 } }],
      links: [],
      resource: { 'service.name': 'test' },
      instrumentationScope: { name: '@halyard/core' },
    });
  });

  it('makes spans children of the active span, also after the code awaits', async () => {
    const { recorder, started } = recording();
    const record = ({ context }: Span): SpanRecord | undefined =>
      started.find(({ spanId }) => spanId === context.spanId);
    const outer = recorder.start({ name: 'outer' });

    const inner = await outer.run(async () => {
      await Promise.resolve();
      return recorder.start({ name: 'inner' });
    });

    expect(record(inner)).toMatchObject({
      traceId: outer.context.traceId,
      parentSpanId: outer.context.spanId,
      isEntry: false,
    });
    expect(recorder.active()).toBeUndefined();
    const separate = outer.run(() => recorder.start({ name: 'own trace', parent: null }));
    expect(record(separate)).toMatchObject({ parentSpanId: null });
  });

  it('records the error of a failed span without its stack', () => {
    const { ended, recorder } = recording();

    recorder.start({ name: 'work' }).end({ error: new TypeError('no such thing') });

    expect(ended[0]?.status).toEqual({ code: 2, message: 'no such thing' });
    expect(ended[0]?.attributes).toEqual({ 'error.type': 'TypeError' });
  });

  it.each([
    [new AbortedError(), { code: 0, message: 'The run was aborted' }, 'aborted'],
    [new InvalidInputError('input is empty'), { code: 0, message: 'input is empty' }, 'refused'],
  ] as const)('records no error of a span that ends with %s', (error, status, outcome) => {
    const { ended, recorder } = recording();

    recorder.start({ name: 'work' }).end({ error });
    recorder.start({ name: 'work' }).end({ error, outcome: 'failed' });

    expect(ended.map((span) => span.status)).toEqual([status, { ...status, code: 2 }]);
    expect(ended[0]?.attributes).toEqual({ 'error.type': error.code, 'halyard.outcome': outcome });
    expect(ended[1]?.attributes).toEqual({ 'error.type': error.code });
  });

  it('records no text of an event or an error where content is not recorded', () => {
    const { ended, recorder } = recording(false);

    const span = recorder.start({ name: 'work' });
    span.addEvent('retry', { attempt: 1 }, { 'exception.message': 'my secret' });
    span.end({ error: new TypeError('my secret') });

    expect(ended[0]).toMatchObject({
      status: { code: 2, message: 'TypeError' },
      events: [{ attributes: { attempt: 1 } }],
    });
    expect(JSON.stringify(ended)).not.toContain('secret');
  });

  it('records nothing of a trace that the caller does not sample', () => {
    const { ended, recorder, started } = recording();
    const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: false };

    const span = recorder.start({ name: 'work', parent });
    const inner = span.run(() => recorder.start({ name: 'inner' }));
    inner.end();
    span.end();

    expect(span.isRecording).toBe(false);
    expect(inner.context).toMatchObject({ traceId: parent.traceId, isSampled: false });
    expect([...started, ...ended]).toEqual([]);
  });

  it('records the links of a span', () => {
    const { recorder, started } = recording();
    const before = recorder.start({ name: 'before' });

    recorder.start({ name: 'after', parent: before.context, isEntry: true, links: [before.context] });

    expect(started[1]).toMatchObject({
      isEntry: true,
      links: [{ traceId: before.context.traceId, spanId: before.context.spanId }],
    });
  });
});

suite('computed attributes', () => {
  function counted(attributes: Attributes) {
    const calls = { count: 0 };
    const describe = (): Attributes => {
      calls.count += 1;
      return attributes;
    };
    return { calls, describe };
  }

  it('are computed when the ended span is read, and do not replace given ones', () => {
    const { ended, recorder } = recording();
    const { calls, describe } = counted({ kind: 'small', both: 'computed' });

    recorder.start({ name: 'work', attributes: { both: 'given' } }).end({ describe, describeBytes: 10 });
    const [record] = ended;
    expect(calls.count).toBe(0);
    expect(record).toMatchObject({ attributes: { both: 'given' }, describeBytes: 10 });
    expect(record && describedSpan(record).attributes).toEqual({ kind: 'small', both: 'given' });
    expect(calls.count).toBe(1);
  });

  it('of a running span are computed when it ends, so that a stored span does not retain the content', () => {
    const { ended, recorder, started } = recording();
    const { calls, describe } = counted({ kind: 'small', both: 'computed' });

    const span = recorder.start({ name: 'work', attributes: { both: 'given' }, describe });
    expect(calls.count).toBe(0);
    expect(started[0] && describedSpan(started[0]).attributes).toEqual({ kind: 'small', both: 'given' });
    span.end();
    expect(ended[0]?.attributes).toEqual({ kind: 'small', both: 'given' });
    expect(ended[0]?.describe).toBeUndefined();
  });

  it('never make reading fail', () => {
    const { ended, recorder } = recording();
    const describe = (): never => {
      throw new Error('not readable');
    };

    recorder.start({ name: 'work', describe }).end();
    recorder.start({ name: 'work' }).end({ describe });

    expect(ended.map((span) => describedSpan(span).attributes['halyard.unreadable'])).toEqual([
      'not readable',
      'not readable',
    ]);
  });
});

suite('parseTraceParent', () => {
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];

  it('reads ids and the sampled flag', () => {
    expect(parseTraceParent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, spanId, isSampled: true });
    expect(parseTraceParent(`00-${traceId}-${spanId}-00`)).toEqual({ traceId, spanId, isSampled: false });
    expect(parseTraceParent(`cc-${traceId}-${spanId}-03-what-comes`)).toEqual({ traceId, spanId, isSampled: true });
  });

  it.each([
    undefined,
    '',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-1`,
    ` 00-${traceId}-${spanId}-01`,
  ])('ignores %s', (header) => {
    expect(parseTraceParent(header)).toBeUndefined();
  });
});
