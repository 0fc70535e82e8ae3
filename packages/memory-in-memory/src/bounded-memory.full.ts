import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LogRecord, Message, MessageVector, SpanRecord } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createInMemoryVectorStore } from './conversations/in-memory-vector-store.ts';
import { createInMemoryStorage } from './in-memory-storage.ts';
import { createInMemoryTelemetryStore } from './telemetry/in-memory-telemetry-store.ts';

it('uses no more memory after 30 000 conversations than after 10 000', async () => {
  const { conversations } = createInMemoryStorage({ conversations: { maxConversations: 500 } });
  const writeMany = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      const [id, text] = [`c-${index}`, `Message of ${index}`];
      const create = { id, userId: `user-${index}`, resourceId: 'helper', title: '', metadata: {} };
      const messages = Array.from({ length: 5 }, (_, place): Message => {
        return { id: `m-${place}`, role: 'user', parts: [{ type: 'text', text }] };
      });
      await conversations.save('anyone', { conversationId: id, messages, create });
      if (index % 3 === 0) await conversations.delete('anyone', `c-${index - 1}`);
    }
  };
  await writeMany(0, 10_000);
  const before = heapUsed();
  await writeMany(10_000, 30_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
  const list = { orderBy: 'title', direction: 'asc', limit: 1, offset: 0 } as const;
  expect((await conversations.list('anyone', list)).total).toBe(500);
});

it('uses no more memory after the working memory of 30 000 users than after that of 10 000', async () => {
  const { workingMemory } = createInMemoryStorage({ workingMemory: { maxUsers: 500 } });
  const writeMany = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) {
      await workingMemory.update('anyone', { scope: 'user', userId: `user-${index}` }, () => ({
        index: `is ${index}`,
      }));
    }
  };
  await writeMany(0, 10_000);
  const before = heapUsed();
  await writeMany(10_000, 30_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
});

it('uses no more memory after 30 000 vectors than after 10 000', async () => {
  const vectors = createInMemoryVectorStore({ maxVectors: 500 });
  const writeMany = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 1) await vectors.upsert([vector(index), vector(index, 'again')]);
  };
  await writeMany(0, 10_000);
  const before = heapUsed();
  await writeMany(10_000, 30_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
});

it('uses no more memory after 100 000 spans and lines than after 20 000', async () => {
  const store = createInMemoryTelemetryStore({ maxSpans: 5_000, maxLogs: 5_000 });
  const writeMany = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index += 50) {
      const indices = Array.from({ length: 50 }, (_, place) => index + place);
      const begun = indices.filter((one) => one % 4 === 0).map((one) => span(one, null));
      const spans = [...begun, ...indices.map((one) => span(one, one + 10))];
      await store.write({ spans, logs: indices.map(line) });
    }
  };
  await writeMany(0, 20_000);
  const before = heapUsed();
  await writeMany(20_000, 100_000);
  expect(heapUsed() - before).toBeLessThan(1_000_000);
  expect(await store.counts()).toEqual({ traces: 1_250, spans: 5_000, logs: 5_000 });
});

it('uses roughly the configured memory for spans and lines', async () => {
  const maxBytes = 8 * 1024 * 1024;
  const store = createInMemoryTelemetryStore({ maxBytes, maxSpans: 1_000_000, maxLogs: 1_000_000 });
  const before = heapUsed();
  for (let index = 0; index < 30_000; index += 1) {
    await store.write({ spans: [span(index, index + 10)], logs: [line(index)] });
  }
  const usedBytes = heapUsed() - before;
  expect((await store.counts()).spans).toBeGreaterThan(2_000);
  expect(usedBytes).toBeLessThan(1.2 * maxBytes);
  expect(usedBytes).toBeGreaterThan(0.5 * maxBytes);
});

/** One of four in a trace; the first of them is its entry, the last has no entity. */
function span(index: number, endTime: number | null): SpanRecord {
  const isEntry = index % 4 === 0;
  const entity = index % 4 < 3 && { 'entity.type': 'agent', 'entity.id': 'helper' };
  const [runId, user] = [`run-${index}`, `user-${index % 100}`];
  return {
    traceId: `trace ${index - (index % 4)}`,
    spanId: `span ${index}`,
    parentSpanId: isEntry ? null : `span ${index - (index % 4)}`,
    isEntry,
    name: `span number ${index}`,
    kind: 0,
    startTime: index,
    endTime,
    attributes: { ...entity, 'user.id': user, 'halyard.run.id': runId },
    status: { code: 1 },
    events: [],
    links: [],
    resource,
    instrumentationScope: scope,
  };
}

const resource = { 'service.name': 'sample' };
const scope = { name: 'halyard' };

function line(index: number): LogRecord {
  const attributes = { agentId: 'helper', conversationId: `c-${index}`, requestId: `request ${index}` };
  const severity = { severityNumber: 9, severityText: 'INFO' };
  return { timestamp: index, traceId: `trace ${index}`, spanId: null, ...severity, body: `Line ${index}`, attributes };
}

function vector(index: number, text = 'Text'): MessageVector {
  return {
    conversationId: `c-${Math.floor(index / 5)}`,
    messageId: `m-${index}`,
    userId: `user-${Math.floor(index / 2)}`,
    role: 'user',
    text: `${text} of ${index}`,
    createdAt: index,
    embedding: Array.from({ length: 64 }, (_, dimension) => Math.sin(index * dimension)),
  };
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}
