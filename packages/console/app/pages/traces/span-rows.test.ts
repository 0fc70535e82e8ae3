import { describe, expect, it } from 'vitest';
import { totalCosts, kindOf, type Span, stateOf, chooseTicks, type Waterfall, toWaterfall } from './span-rows.ts';

const epoch = Date.parse('2027-01-01T00:00:00Z');
const now = epoch + 10_000;

/** A span that starts `startMs` after the epoch of these tests. */
const span = (spanId: string, parentSpanId: string | null, startMs: number, durationMs: number | null = 10): Span =>
  ({
    spanId,
    parentSpanId,
    durationMs,
    startTime: new Date(epoch + startMs).toISOString(),
    attributes: {},
  }) as Partial<Span> as Span;
const none: ReadonlySet<string> = new Set();
const tree = ({ rows }: Waterfall): readonly string[] =>
  rows.map(({ depth, span: { spanId } }) => '-'.repeat(depth) + spanId);

describe('toWaterfall', () => {
  it('has no rows without spans', () => {
    expect(toWaterfall([], none, now).rows).toEqual([]);
  });

  it('puts parents before their children, in the order of the spans', () => {
    const spans = [span('a', null, 0), span('b', 'a', 1), span('c', 'a', 2), span('d', 'b', 3), span('e', null, 4)];
    expect(tree(toWaterfall(spans, none, now))).toEqual(['a', '-b', '--d', '-c', 'e']);
    expect(toWaterfall(spans, none, now).rows.map(({ childCount }) => childCount)).toEqual([2, 1, 0, 0, 0]);
  });

  it('shows a child that arrived before its parent below it', () => {
    expect(tree(toWaterfall([span('b', 'a', 1), span('a', null, 0)], none, now))).toEqual(['a', '-b']);
  });

  it('shows a span whose parent is missing, or is the span itself, as a root', () => {
    expect(tree(toWaterfall([span('a', 'gone', 0), span('b', 'b', 1), span('c', 'b', 2)], none, now))).toEqual([
      'a',
      'b',
      '-c',
    ]);
  });

  it('shows a span once that was read twice', () => {
    expect(tree(toWaterfall([span('a', null, 0), span('a', null, 0)], none, now))).toEqual(['a']);
  });

  it('leaves out spans below a collapsed one, also of the time', () => {
    const spans = [span('a', null, 0), span('b', 'a', 5, 500), span('c', 'b', 6), span('d', null, 7)];
    const { end, rows } = toWaterfall(spans, new Set(['a']), now);
    expect(rows.map(({ childCount, span: { spanId } }) => [spanId, childCount])).toEqual([
      ['a', 1],
      ['d', 0],
    ]);
    expect(end).toBe(epoch + 17);
  });

  it('shows a trace of thousands of levels', () => {
    const spans = Array.from({ length: 20_000 }, (_, index) =>
      span(String(index), index === 0 ? null : String(index - 1), index),
    );
    expect(toWaterfall(spans, none, now).rows.at(-1)?.depth).toBe(19_999);
  });

  it('covers the time of all spans, also of children that outlast their parent or start before it', () => {
    const { end, rows, start } = toWaterfall([span('a', null, 0, 10), span('b', 'a', -5, 40)], none, now);
    expect([start, end]).toEqual([epoch - 5, epoch + 35]);
    expect(rows[1]).toMatchObject({ start: epoch - 5, end: epoch + 35 });
  });

  it('shows a span that runs until now, or as short if its clock is ahead', () => {
    const { rows } = toWaterfall([span('a', null, 0, null), span('b', null, 60_000, null)], none, now);
    expect(rows.map(({ end, start }) => end - start)).toEqual([10_000, 0]);
  });

  it('covers at least a millisecond', () => {
    const { end, rows, start } = toWaterfall([span('a', null, 0, 0)], none, now);
    expect(end - start).toBe(1);
    expect(rows[0]).toMatchObject({ start: epoch, end: epoch });
  });
});

it.each<readonly [Readonly<Record<string, unknown>>, string]>([
  [{ 'gen_ai.operation.name': 'invoke_agent', 'entity.type': 'workflow' }, 'agent'],
  [{ 'gen_ai.operation.name': 'chat' }, 'model'],
  [{ 'gen_ai.operation.name': 'text_completion' }, 'model'],
  [{ 'gen_ai.operation.name': 'embeddings', 'halyard.memory.operation': 'search' }, 'model'],
  [{ 'gen_ai.operation.name': 'execute_tool' }, 'tool'],
  [{ 'halyard.memory.operation': 'search', 'entity.type': 'workflow' }, 'memory'],
  [{ 'entity.type': 'workflow' }, 'workflow'],
  [{ 'halyard.step.id': 'pay' }, 'workflow'],
  [{ 'gen_ai.operation.name': 'dance' }, 'other'],
  [{}, 'other'],
])('says of a span with %j that it is of the kind %s', (attributes, kind) => {
  expect(kindOf({ attributes })).toBe(kind);
});

it.each<readonly [Partial<Span>, string]>([
  [{}, 'ok'],
  [{ endTime: null }, 'running'],
  [{ status: { code: 2 } }, 'error'],
  [{ attributes: { 'halyard.outcome': 'aborted' } }, 'aborted'],
])('says of a span with %j that it is %s', (fields, state) => {
  expect(stateOf({ ...span('a', null, 0), status: { code: 0 }, attributes: {}, ...fields })).toBe(state);
});

it.each<readonly [number, readonly number[]]>([
  [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [100, [0, 20, 40, 60, 80, 100]],
  [101, [0, 50, 100]],
  [4_000, [0, 1_000, 2_000, 3_000, 4_000]],
  [7, [0, 2, 4, 6]],
])('marks %d ms at round distances', (durationMs, ticks) => {
  expect(chooseTicks(durationMs).map((tick) => Number(tick.toFixed(6)))).toEqual(ticks);
});

it('marks only the start of a trace that takes no time', () => {
  expect(chooseTicks(0)).toEqual([0]);
});

it('adds up the costs that are known, and counts the calls of unknown cost', () => {
  const toSpan = (attributes: object): Span => ({ ...span('a', null, 0), attributes: { ...attributes } });
  const costing = (cost: unknown): Span => toSpan({ 'gen_ai.usage.cost': cost });
  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 3 };
  expect(totalCosts([])).toBeUndefined();
  expect(totalCosts([span('a', null, 0), costing('1')])).toBeUndefined();
  expect(totalCosts([toSpan({ ...call, 'gen_ai.usage.input_tokens': 0 })])).toBeUndefined();
  expect(totalCosts([costing(0.25), span('a', null, 0), costing(0.5)])).toEqual({ cost: 0.75, unpricedCalls: 0 });
  expect(totalCosts([costing(0)])).toEqual({ cost: 0, unpricedCalls: 0 });
  expect(totalCosts([toSpan(call)])).toEqual({ cost: null, unpricedCalls: 1 });
  expect(totalCosts([costing(0.5), toSpan(call)])).toEqual({ cost: 0.5, unpricedCalls: 1 });
});
