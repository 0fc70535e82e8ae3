import { type LogRecord, searchedLogs, searchedTraces, type SpanRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createInMemoryStorage } from '../in-memory-storage.ts';
import { createInMemoryTelemetryStore } from './in-memory-telemetry-store.ts';
import { SpanIndex } from './span-index.ts';

const page = { limit: 100, offset: 0 };
const tenMs = { from: 0, to: 10, intervalMs: 10, maxGroups: 9 };
const runsOfHelper = { ...page, entityType: 'agent', entityId: 'helper' };

it('is part of an in-memory storage and not persistent', async () => {
  const { telemetry } = createInMemoryStorage({ telemetry: { maxSpans: 1 } });
  await telemetry?.write({ spans: [span('t', 's-1', 1), span('t', 's-2', 2)], logs: [] });
  expect(await telemetry?.counts()).toEqual({ traces: 1, spans: 1, logs: 0 });
  expect([telemetry?.name, telemetry?.isPersistent]).toEqual(['in-memory', false]);
});

it('looks for a text only in the newest logs and traces that match the other filters', async () => {
  const store = createInMemoryTelemetryStore({ maxSpans: 10_000 });
  const logs = Array.from({ length: searchedLogs + 5 }, () => log('found'));
  const spans = Array.from({ length: searchedTraces + 5 }, (_, at) => entry(`t-${at}`, `s-${at}`, at));
  await store.write({ spans, logs });
  expect(await store.listLogs('anyone', { ...page, limit: 1, text: 'found' })).toMatchObject({ total: searchedLogs });
  expect(await store.listLogs('anyone', { ...page, limit: 1 })).toMatchObject({ total: searchedLogs + 5 });
  const found = await store.listTraces('anyone', { ...page, limit: 1, text: 'helper' });
  expect(found).toMatchObject({ total: searchedTraces, traces: [{ traceId: `t-${searchedTraces + 4}` }] });
  expect(await store.listTraces('anyone', { ...page, to: 4, text: 'helper' })).toMatchObject({ total: 5 });
});

it('removes the spans that arrived first when it is full, and a trace with its last span', async () => {
  const store = createInMemoryTelemetryStore({ maxSpans: 4 });
  await store.write({ spans: [entry('t-1', 's-1', 10), span('t-1', 's-2', 11), span('t-1', 's-3', 12)], logs: [] });
  await store.write({ spans: [entry('t-2', 's-4', 20), entry('t-2', 's-5', 30), span('t-2', 's-6', 31)], logs: [] });
  expect(await store.findSpan('anyone', 's-1')).toBeUndefined();
  expect(await store.findSpan('anyone', 's-2')).toBeUndefined();
  const { traces } = await store.listTraces('anyone', page);
  expect(traces).toMatchObject([
    { traceId: 't-2', spanCount: 3, rootSpan: { spanId: 's-4' } },
    { traceId: 't-1', spanCount: 1, rootSpan: { spanId: 's-3' }, entityId: null, startTime: 12, endTime: 13 },
  ]);
  await store.write({ spans: [span('t-2', 's-7', 32), span('t-2', 's-8', 33)], logs: [] });
  expect(await store.counts()).toEqual({ traces: 1, spans: 4, logs: 0 });
  expect(await store.findTrace('anyone', 't-1')).toEqual([]);
  expect((await store.listTraces('anyone', page)).traces).toMatchObject([
    { traceId: 't-2', spanCount: 4, rootSpan: { spanId: 's-5' }, status: 'ok', startTime: 30, endTime: 34 },
  ]);
  expect((await store.listSpans('anyone', runsOfHelper)).spans.map(({ spanId }) => spanId)).toEqual(['s-5']);
});

it('assigns a trace to a user only as long as an entry of this user is stored', async () => {
  const store = createInMemoryTelemetryStore({ maxSpans: 2 });
  await store.write({ spans: [entry('t-1', 's-1', 10), span('t-1', 's-2', 11)], logs: [] });
  expect((await store.listTraces({ user: 'ada' }, page)).total).toBe(1);
  await store.write({ spans: [span('t-1', 's-3', 12)], logs: [] });
  expect((await store.listTraces({ user: 'ada' }, page)).total).toBe(0);
  expect(await store.deleteUser('ada')).toBe(0);
  expect(await store.counts()).toEqual({ traces: 1, spans: 2, logs: 0 });
});

it('treats an entry that is written again as the newest span', async () => {
  const store = createInMemoryTelemetryStore({ maxSpans: 3 });
  await store.write({ spans: [span('t-1', 's-2', 11), entry('t-1', 's-1', 10, { endTime: null })], logs: [] });
  await store.write({ spans: [entry('t-1', 's-1', 10), span('t-2', 's-3', 20), span('t-2', 's-4', 21)], logs: [] });
  expect((await store.findTrace({ user: 'ada' }, 't-1')).map(({ spanId }) => spanId)).toEqual(['s-1']);
});

it('stores one span for each id, even if the records name different traces', async () => {
  const store = createInMemoryTelemetryStore();
  await store.write({ spans: [entry('t-1', 's-1', 10), span('t-2', 's-1', 20)], logs: [] });
  expect(await store.counts()).toEqual({ traces: 1, spans: 1, logs: 0 });
  await store.write({ spans: [entry('t-2', 's-1', 20)], logs: [] });
  expect((await store.listTraces({ user: 'ada' }, page)).traces).toMatchObject([{ traceId: 't-2', spanCount: 1 }]);
});

it('removes the log lines that arrived first when there are too many', async () => {
  const store = createInMemoryTelemetryStore({ maxLogs: 2 });
  await store.write({ spans: [], logs: ['a', 'b', 'c'].map((body) => log(body)) });
  const { logs, total } = await store.listLogs('anyone', page);
  expect([logs.map(({ body }) => body), total]).toEqual([['c', 'b'], 2]);
});

it('stays below the maximum of bytes, and removes from the larger of spans and logs', async () => {
  const store = createInMemoryTelemetryStore({ maxBytes: 1_000_000 });
  const text = 'x'.repeat(30_000);
  await store.write({ spans: [], logs: Array.from({ length: 10 }, (_, index) => log(`line ${index}`)) });
  for (let index = 0; index < 200; index += 1) {
    await store.write({ spans: [span('t-1', `s-${index}`, index, { attributes: { text } })], logs: [] });
  }
  const many = await store.counts();
  expect(many.logs).toBe(10);
  expect(many.spans).toBeGreaterThan(25);
  expect(many.spans).toBeLessThan(34);
  await store.write({ spans: [], logs: Array.from({ length: 200 }, () => log(text)) });
  const { spans, logs } = await store.counts();
  expect((spans + logs) * 30_000).toBeLessThan(1_000_000);
  expect(Math.abs(spans - logs)).toBeLessThan(4);
});

it('removes a record that exceeds the maximum of bytes, and accepts later ones', async () => {
  const store = createInMemoryTelemetryStore({ maxBytes: 10_000 });
  await store.write({ spans: [span('t-1', 's-1', 1, { attributes: { text: 'x'.repeat(20_000) } })], logs: [] });
  expect(await store.counts()).toEqual({ traces: 0, spans: 0, logs: 0 });
  await store.write({ spans: [entry('t-1', 's-1', 1)], logs: [log('a')] });
  expect(await store.counts()).toEqual({ traces: 1, spans: 1, logs: 1 });
});

it('has its full capacity again after everything is purged', async () => {
  const store = createInMemoryTelemetryStore({ maxBytes: 100_000 });
  for (let round = 0; round < 20; round += 1) {
    const text = 'x'.repeat(20_000 + round);
    await store.write({ spans: [entry('t-1', 's-1', 10, { endTime: null })], logs: [log(text)] });
    await store.write({ spans: [entry('t-1', 's-1', 10, { status: { code: 1, message: text } })], logs: [] });
    expect(await store.counts()).toEqual({ traces: 1, spans: 1, logs: 1 });
    expect(await store.purge(1_000)).toBe(2);
  }
});

it('returns how many spans and lines it has purged, and keeps those of the given time', async () => {
  const store = createInMemoryTelemetryStore();
  const spans = [1, 2, 3, 4].map((time) => span('t-1', `s-${time}`, time));
  const logs = [1, 2, 3, 4, 5].map((timestamp) => ({ ...log('a'), timestamp }));
  await store.write({ spans, logs });
  expect(await store.purge(3)).toBe(4);
  expect(await store.counts()).toEqual({ traces: 1, spans: 2, logs: 3 });
});

it('removes no more spans than the maximum of bytes requires', async () => {
  const store = createInMemoryTelemetryStore({ maxBytes: 100_000 });
  const large = { attributes: { text: 'x'.repeat(60_000) } };
  await store.write({ spans: [span('t-1', 's-1', 1, large), span('t-1', 's-2', 2, large)], logs: [] });
  const small = Array.from({ length: 30 }, (_, index) => span('t-1', `small-${index}`, index));
  await store.write({ spans: small, logs: [] });
  expect(await store.counts()).toEqual({ traces: 1, spans: 31, logs: 0 });
});

it('keeps no index of an entity whose spans are removed', () => {
  const index = new SpanIndex(1);
  index.add(entry('t-1', 's-1', 1));
  expect(index.ofEntity('helper')?.size).toBe(1);
  index.add(span('t-2', 's-2', 2));
  expect(index.ofEntity('helper')).toBeUndefined();
});

it('moves a trace in the list when its root arrives late or is removed', async () => {
  const store = createInMemoryTelemetryStore({ maxSpans: 4 });
  const listed = async () => (await store.listTraces('anyone', page)).traces.map(({ traceId }) => traceId);
  await store.write({ spans: [span('t-1', 's-1', 30), entry('t-2', 's-2', 20)], logs: [] });
  expect(await listed()).toEqual(['t-1', 't-2']);
  await store.write({ spans: [entry('t-1', 's-3', 10)], logs: [] });
  expect(await listed()).toEqual(['t-2', 't-1']);
  await store.write({ spans: [entry('t-3', 's-4', 5), entry('t-3', 's-5', 6), entry('t-3', 's-6', 7)], logs: [] });
  expect(await listed()).toEqual(['t-1', 't-3']);
  expect((await store.listTraces('anyone', page)).total).toBe(2);
});

it('lists traces with the same start time in the order of arrival, also after one of them has moved', async () => {
  const store = createInMemoryTelemetryStore();
  const listed = async () => (await store.listTraces('anyone', page)).traces.map(({ traceId }) => traceId);
  for (const number of [1, 2, 3, 4]) await store.write({ spans: [entry(`t-${number}`, `s-${number}`, 10)], logs: [] });
  expect(await listed()).toEqual(['t-4', 't-3', 't-2', 't-1']);
  await store.write({ spans: [entry('t-3', 's-5', 5)], logs: [] });
  expect(await listed()).toEqual(['t-4', 't-2', 't-1', 't-3']);
});

it('has the same root after a span that began before it is removed', async () => {
  const store = createInMemoryTelemetryStore({ maxSpans: 3 });
  await store.write({ spans: [span('t-1', 's-1', 5), span('t-1', 's-2', 7), entry('t-1', 's-3', 10)], logs: [] });
  await store.write({ spans: [span('t-1', 's-4', 11)], logs: [] });
  const { traces } = await store.listTraces('anyone', page);
  expect(traces).toMatchObject([{ spanCount: 3, rootSpan: { spanId: 's-3' }, startTime: 10 }]);
});

const longText = 'x'.repeat(8_500);

it.each<[string, Partial<SpanRecord>]>([
  ['the name', { name: longText }],
  ['the attributes', { attributes: { text: longText } }],
  ['the message of the status', { status: { code: 2, message: longText } }],
  ['the name of an event', { events: [{ name: longText, time: 1 }] }],
  ['the attributes of an event', { events: [{ name: 'retry', time: 1, attributes: { text: longText } }] }],
  ['the attributes of a link', { links: [{ traceId: 't-2', spanId: 's', attributes: { text: longText } }] }],
])('counts the bytes of %s of a span', async (_, values) => {
  const store = createInMemoryTelemetryStore({ maxBytes: 100_000 });
  for (let index = 0; index < 20; index += 1)
    await store.write({ spans: [span('t-1', `s-${index}`, index, values)], logs: [] });
  expect((await store.counts()).spans).toBe(10);
});

it.each<[string, Partial<LogRecord>]>([
  ['the body', { body: longText }],
  ['the attributes', { attributes: { text: longText } }],
])('counts the bytes of %s of a log line', async (_, values) => {
  const store = createInMemoryTelemetryStore({ maxBytes: 100_000 });
  await store.write({ spans: [], logs: Array.from({ length: 20 }, () => ({ ...log('line'), ...values })) });
  expect((await store.counts()).logs).toBe(11);
});

it('counts a call of a model for the user of the first entry that has one, and nothing for other spans of users', async () => {
  const store = createInMemoryTelemetryStore();
  const call = { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.output_tokens': 3 };
  await store.write({
    spans: [
      entry('t-1', 's-1', 1, { attributes: {} }),
      span('t-1', 's-2', 2, { attributes: { 'entity.type': 'agent', 'user.id': 'bob' } }),
      entry('t-1', 's-3', 3),
      entry('t-1', 's-4', 4, { attributes: { 'user.id': 'eve' } }),
      span('t-1', 's-5', 5, { attributes: call }),
      entry('t-2', 's-6', 6, { attributes: {} }),
      span('t-2', 's-7', 7, { attributes: call }),
    ],
    logs: [],
  });
  const { groups } = await store.metrics('anyone', { ...tenMs, groupBy: 'user' });
  expect(groups).toMatchObject([
    { id: 'ada', requests: 2, outputTokens: 3 },
    { id: 'eve', requests: 1, outputTokens: 0 },
  ]);
});

it('lists groups with the same requests and tokens by name', async () => {
  const store = createInMemoryTelemetryStore();
  for (const agent of ['c', 'a', 'd', 'b'])
    await store.write({
      spans: [entry(agent, agent, 1, { attributes: { 'entity.type': 'agent', 'entity.id': agent } })],
      logs: [],
    });
  const { groups } = await store.metrics('anyone', { ...tenMs, groupBy: 'agent' });
  expect(groups.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

it('counts what computed attributes retain, and computes them only when a span is read', async () => {
  const store = createInMemoryTelemetryStore({ maxBytes: 100_000 });
  let computed = 0;
  const describe = () => ({ computed: (computed += 1) });
  for (let index = 0; index < 100; index += 1)
    await store.write({ spans: [span('t-1', `s-${index}`, index, { describe, describeBytes: 9_000 })], logs: [] });
  expect((await store.counts()).spans).toBe(10);
  expect(computed).toBe(0);
  expect((await store.findSpan('anyone', 's-99'))?.attributes).toEqual({ computed: 1 });
});

it('holds 10 000 spans, 50 000 log lines and 64 MiB unless it is configured otherwise', async () => {
  const store = createInMemoryTelemetryStore();
  for (let batch = 0; batch < 12; batch += 1) {
    const numbers = Array.from({ length: 5_000 }, (_, index) => batch * 5_000 + index);
    const spans = numbers.slice(0, 1_000).map((number) => entry(`t-${number}`, `s-${number}`, number));
    await store.write({ spans, logs: numbers.map((number) => log(`line ${number}`)) });
  }
  expect(await store.counts()).toEqual({ traces: 10_000, spans: 10_000, logs: 50_000 });
  const large = Array.from({ length: 100 }, (_, index) => log(`${index}${'x'.repeat(1024 * 1024)}`));
  await store.write({ spans: [], logs: large });
  expect((await store.listLogs('anyone', { limit: 100, offset: 0 })).logs.length).toBeLessThan(64);
});

function span(traceId: string, spanId: string, startTime: number, values: Partial<SpanRecord> = {}): SpanRecord {
  return {
    traceId,
    spanId,
    parentSpanId: 's-0',
    isEntry: false,
    name: spanId,
    kind: 0,
    startTime,
    endTime: startTime + 1,
    attributes: {},
    status: { code: 0 },
    events: [],
    links: [],
    resource: {},
    instrumentationScope: { name: 'halyard' },
    ...values,
  };
}

function entry(traceId: string, spanId: string, startTime: number, values: Partial<SpanRecord> = {}): SpanRecord {
  const attributes = { 'entity.type': 'agent', 'entity.id': 'helper', 'user.id': 'ada' };
  return span(traceId, spanId, startTime, { parentSpanId: null, isEntry: true, attributes, ...values });
}

function log(body: string): LogRecord {
  return { timestamp: 1, traceId: null, spanId: null, severityNumber: 9, severityText: 'INFO', body, attributes: {} };
}
