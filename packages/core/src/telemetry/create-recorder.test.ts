import type { Span, SpanDetails, SpanRecord, TelemetrySink } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { fixedClock } from '../testing/fixed-clock.ts';
import { createRecorder } from './create-recorder.ts';
import { runNext } from './run-next.ts';
import { parseTraceParent } from './trace-parent.ts';

function recording() {
  const ended: SpanRecord[] = [];
  const started: SpanRecord[] = [];
  const clock = fixedClock(1000);
  const sink: TelemetrySink = {
    spanStarted: (span) => void started.push(span),
    spanEnded: (span) => void ended.push(span),
    logged: () => {},
  };
  return { clock, ended, started, recorder: createRecorder({ sink, clock, resource: { 'service.name': 'test' } }) };
}

describe('createRecorder', () => {
  it('tells of a span when it begins and when it has ended, with what was said of it', () => {
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

  it('makes spans children of the one that the code runs in, across what it awaits', async () => {
    const { recorder } = recording();
    const outer = recorder.start({ name: 'outer' });

    const inner = await outer.run(async () => {
      await Promise.resolve();
      return recorder.start({ name: 'inner' });
    });

    expect(inner).toMatchObject({
      traceId: outer.context.traceId,
      parentSpanId: outer.context.spanId,
      isEntry: false,
    });
    expect(recorder.active()).toBeUndefined();
    expect(outer.run(() => recorder.start({ name: 'own trace', parent: null }))).toMatchObject({ parentSpanId: null });
  });

  it('says what failed, without a stack', () => {
    const { ended, recorder } = recording();

    recorder.start({ name: 'work' }).end({ error: new TypeError('no such thing') });

    expect(ended[0]?.status).toEqual({ code: 2, message: 'no such thing' });
    expect(ended[0]?.attributes).toEqual({ 'error.type': 'TypeError' });
  });

  it('records nothing of a trace whose caller decided so, nor of what runs in it', () => {
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

  it('keeps what a span is linked to', () => {
    const { recorder } = recording();
    const before = recorder.start({ name: 'before' });

    const after = recorder.start({ name: 'after', parent: before.context, isEntry: true, links: [before.context] });

    expect(after).toMatchObject({
      isEntry: true,
      links: [{ traceId: before.context.traceId, spanId: before.context.spanId }],
    });
  });
});

describe('details of a span', () => {
  function details(content: string) {
    const asked = { attributes: 0, content: 0 };
    const said: SpanDetails = {
      toAttributes: () => {
        asked.attributes += 1;
        return { kind: 'small', over: 'details' };
      },
      toContent: () => {
        asked.content += 1;
        return { content };
      },
    };
    return { asked, said };
  }

  it('are put into words when somebody looks, once it has ended one time only', () => {
    const { ended, recorder } = recording();
    const { asked, said } = details('long story');

    recorder.start({ name: 'work', attributes: { over: 'attributes' }, details: said }).end();
    const [record] = ended;
    expect(asked).toEqual({ attributes: 0, content: 0 });
    expect(record?.briefAttributes).toEqual({ kind: 'small', over: 'attributes' });
    expect(asked.content).toBe(0);
    for (let reads = 0; reads < 2; reads += 1)
      expect(record?.attributes).toEqual({ kind: 'small', over: 'attributes', content: 'long story' });

    expect(asked.content).toBe(1);
  });

  it('never throw at who reads', () => {
    const { ended, recorder } = recording();
    const { said } = details('');
    const broken: SpanDetails = {
      ...said,
      toContent: () => {
        throw new Error('no words');
      },
    };

    recorder.start({ name: 'work', details: broken }).end();

    expect(ended[0]?.attributes).toMatchObject({ kind: 'small', 'halyard.unreadable': 'no words' });
  });
});

describe('runNext', () => {
  it('has spans follow one another in the frame of their parent, and gives those beside it their own', async () => {
    const { recorder } = recording();
    const outer = recorder.start({ name: 'outer' });
    const seen: Record<string, string | undefined> = {};
    const look = (name: string): void => {
      seen[name] = recorder.active()?.spanId;
    };

    const spans = await outer.run(async () => {
      const inner = ['first', 'beside', 'next'].map((name) => recorder.start({ name, parent: outer.context }));
      const [first, beside, next] = inner as [Span, Span, Span];
      const work = async (name: string): Promise<void> => {
        look(`${name} begins`);
        await Promise.resolve();
        look(`${name} goes on`);
      };
      await Promise.all([runNext(first, () => work('first')), runNext(beside, () => work('beside'))]);
      beside.end();
      first.end();
      look('between');
      await runNext(next, () => work('next'));
      next.end();
      look('after');
      return { first, beside, next };
    });

    const [first, beside, next] = [spans.first, spans.beside, spans.next].map(({ context }) => context.spanId);
    const out = outer.context.spanId;
    expect(seen).toEqual({
      'first begins': first,
      'first goes on': first,
      'beside begins': beside,
      'beside goes on': beside,
      between: out,
      'next begins': next,
      'next goes on': next,
      after: out,
    });
  });
});

describe('parseTraceParent', () => {
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
