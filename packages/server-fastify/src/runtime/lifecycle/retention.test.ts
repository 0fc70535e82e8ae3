import { ConfigurationError, type Storage } from '@halyard/contracts';
import { createWorkflow } from '@halyard/core';
import { createRecorder, Telemetry } from '@halyard/core/server';
import { fixedClock, silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage, createInMemoryTelemetryStore, InMemoryStreamStore } from '@halyard/memory-in-memory';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createServer } from '../../create-server.ts';
import { halyard } from '../../halyard.ts';
import { serve } from '../../testing/serve.ts';
import { requestWorkflows } from '../../testing/workflows.ts';
import { Retention } from './retention.ts';

const [minuteMs, dayMs] = [60_000, 24 * 60 * 60_000];

describe('in a server', () => {
  const workflow = createWorkflow({ id: 'quick', purpose: '' }).andThen({ id: 'step', execute: () => 'done' });
  const waiting = createWorkflow({ id: 'waiting', purpose: '' }).andThen({
    id: 'wait',
    execute: ({ suspend }) => suspend('for good'),
  });

  async function storedIds(storage: Storage): Promise<readonly string[]> {
    const filter = { parentExecutionId: null, limit: 50, offset: 0 };
    const { executions } = await storage.executions.list('anyone', filter);
    return executions.map(({ id }) => id).toSorted();
  }

  it('executions that ended 30 days ago and answers of dead servers are deleted; suspended executions are not', async () => {
    const clock = fixedClock();
    const storage = createInMemoryStorage({ clock });
    const server = await serve([], { workflows: [workflow, waiting], storage, retention: false });
    const start = (name: string, executionId: string) =>
      requestWorkflows(server.origin, `/${name}/execute`, { input: {}, options: { executionId } });
    await start('quick', 'old');
    await start('waiting', 'waits');
    clock.advance(dayMs);
    await start('quick', 'young');
    await server.close();

    const streams = new InMemoryStreamStore(clock);
    await streams.begin({ id: 'answer', agentId: 'gone', conversationId: 'c', userId: undefined }, 1_000);

    vi.useFakeTimers();
    const retention = new Retention({ storage, streams, clock, logger: silentLogger });
    retention.start();
    clock.advance(29 * dayMs);
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    await retention.stop();
    expect(await storedIds(storage)).toEqual(['waits', 'young']);
    expect(streams.size).toBe(0);
    expect(await storage.executions.events('anyone', 'old', { after: 0, limit: 1 })).toEqual([]);
  });

  it.each([
    [undefined, 14],
    [{ telemetryDays: 3 }, 3],
  ])('deletes spans and logs that are older than the limit: %o', async (options, days) => {
    const clock = fixedClock();
    const telemetry = createInMemoryTelemetryStore();
    const sink = new Telemetry({ store: telemetry, clock, logger: silentLogger });
    const recorder = createRecorder({ sink, clock, recordsContent: true, resource: {} });
    const record = (name: string): string => {
      const span = recorder.start({ name, isEntry: true });
      span.end();
      return span.context.spanId;
    };
    const old = record('old');
    clock.advance(dayMs);
    const young = record('young');
    await sink.close();
    clock.advance((days - 1) * dayMs + minuteMs);

    vi.useFakeTimers();
    const services = { storage: createInMemoryStorage({ clock }), streams: new InMemoryStreamStore(clock), telemetry };
    const retention = new Retention({ ...services, clock, logger: silentLogger }, options);
    retention.start();
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    await retention.stop();
    expect(await telemetry.findSpan('anyone', old)).toBeUndefined();
    expect(await telemetry.findSpan('anyone', young)).toMatchObject({ name: 'young' });
  });

  it('nothing is deleted when retention is off', async () => {
    const storage = createInMemoryStorage();
    const purge = vi.spyOn(storage.executions, 'purge');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [off, on] = [
      await serve([], { storage, retention: false }),
      await serve([], { storage, retention: { executionsMs: 7 * dayMs } }),
    ];
    await off.close();
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(purge.mock.calls).toEqual([[7 * dayMs, 500]]);
    await on.close();
    await vi.advanceTimersByTimeAsync(dayMs);
    expect(purge).toHaveBeenCalledTimes(1);
  });
});

it('deletes old events in batches until none is left, also when few executions are old', async () => {
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  for (let index = 0; index < 1_200; index += 1) {
    const event = { id: `e-${index}`, name: 'paid', key: null, payload: null, requestId: `r-${index}` };
    await storage.executions.publish('anyone', event);
  }
  clock.advance(31 * dayMs);
  const purged: number[] = [];
  const purgeEvents = storage.executions.purgeEvents.bind(storage.executions);
  vi.spyOn(storage.executions, 'purgeEvents').mockImplementation(async (olderThanMs, limit) => {
    const deleted = await purgeEvents(olderThanMs, limit);
    purged.push(deleted);
    return deleted;
  });
  vi.useFakeTimers();
  const retention = new Retention({ storage, streams: new InMemoryStreamStore(clock), clock, logger: silentLogger });
  retention.start();
  await vi.advanceTimersByTimeAsync(5 * minuteMs + 1_000);
  await retention.stop();
  expect(purged).toEqual([500, 500, 200]);
});

describe('used approvals that have expired', () => {
  const clock = fixedClock();
  const streams = new InMemoryStreamStore(clock);
  const storage = createInMemoryStorage({ clock });
  const calls: number[] = [];
  const watched = {
    ...storage,
    approvals: Object.assign(Object.create(storage.approvals) as typeof storage.approvals, {
      consume: (id: string, expiresAt: number) => storage.approvals.consume(id, expiresAt),
      purge: async (limit: number) => {
        const deleted = await storage.approvals.purge(limit);
        calls.push(deleted);
        return deleted;
      },
    }),
  };

  async function use(count: number): Promise<void> {
    for (let at = 0; at < count; at += 1) await storage.approvals.consume(`${clock.now()}-${at}`, clock.now() + 1);
    clock.advance(minuteMs);
  }

  beforeEach(() => {
    calls.length = 0;
    vi.useFakeTimers();
  });

  it('are deleted in batches with pauses, some minutes after the start and each hour', async () => {
    const retention = new Retention({
      storage: watched,
      streams,
      clock,
      logger: silentLogger,
    });
    retention.start();
    await use(1_200);
    await vi.advanceTimersByTimeAsync(5 * minuteMs - 1);
    expect(calls).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(calls).toEqual([500]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls).toEqual([500, 500, 200]);
    await use(3);
    await vi.advanceTimersByTimeAsync(60 * minuteMs);
    expect(calls).toEqual([500, 500, 200, 3]);
    await retention.stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are not deleted after it is stopped between two batches', async () => {
    const retention = new Retention({
      storage: watched,
      streams,
      clock,
      logger: silentLogger,
    });
    retention.start();
    await use(1_200);
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    await retention.stop();
    expect(calls).toEqual([500]);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(dayMs);
    expect(calls).toEqual([500]);
  });

  it('are deleted an hour later when that failed', async () => {
    const warnings: string[] = [];
    const logger = { ...silentLogger, warn: (_: object, message: string) => warnings.push(message) };
    let isAway = true;
    const approvals = {
      ...watched.approvals,
      purge: (limit: number) => (isAway ? Promise.reject(new Error('away')) : watched.approvals.purge(limit)),
    };
    const retention = new Retention({ storage: { ...watched, approvals }, streams, clock, logger });
    retention.start();
    await use(2);
    await vi.advanceTimersByTimeAsync(5 * minuteMs);
    expect(warnings).toEqual(['old data could not be deleted: trying again later']);
    isAway = false;
    await vi.advanceTimersByTimeAsync(60 * minuteMs);
    expect(calls.reduce((sum, deleted) => sum + deleted, 0)).toBeGreaterThanOrEqual(2);
    await retention.stop();
  });
});

describe('a part that fails', () => {
  it.each(['executions', 'events', 'approvals', 'audit', 'answers', 'telemetry'])(
    'does not prevent that the others are deleted: %s',
    async (failing) => {
      const clock = fixedClock();
      const warnings: object[] = [];
      const logger = { ...silentLogger, warn: (fields: object) => warnings.push(fields) };
      const deleted: string[] = [];
      const purge = (part: string) => async () => {
        if (part === failing) throw new RangeError('out of range');
        deleted.push(part);
        return 0;
      };
      const storage = {
        executions: Object.assign(createInMemoryStorage({ clock }).executions, {
          purge: purge('executions'),
          purgeEvents: purge('events'),
        }),
        approvals: Object.assign(createInMemoryStorage({ clock }).approvals, { purge: purge('approvals') }),
        audit: Object.assign(createInMemoryStorage({ clock }).audit, { purge: purge('audit') }),
      };
      const others = { streams: { purge: purge('answers') }, telemetry: { purge: purge('telemetry') } };
      vi.useFakeTimers();
      const retention = new Retention({ storage, ...others, clock, logger });
      retention.start();
      await vi.advanceTimersByTimeAsync(5 * minuteMs);
      await retention.stop();
      expect(deleted).toEqual(
        ['executions', 'events', 'approvals', 'audit', 'answers', 'telemetry'].filter((part) => part !== failing),
      );
      expect(warnings).toEqual([{ err: new RangeError('out of range'), part: failing }]);
    },
  );
});

describe('an invalid time', () => {
  it.each([
    [{ executionsMs: Number.NaN }, '`retention.executionsMs` must be a number from 0 on, not NaN'],
    [{ executionsMs: -1 }, '`retention.executionsMs` must be a number from 0 on, not -1'],
    [{ executionsMs: '7 days' as never }, '`retention.executionsMs` must be a number from 0 on, not "7 days"'],
    [{ telemetryDays: null as never }, '`retention.telemetryDays` must be a number from 0 on, not null'],
    [{ telemetryDays: -Infinity }, '`retention.telemetryDays` must be a number from 0 on, not -Infinity'],
  ])('is refused: %o', async (retention, message) => {
    const creating = createServer({ retention, logger: false });
    await expect(creating).rejects.toThrow(new ConfigurationError(`The option ${message}`));
    const app = Fastify({ pluginTimeout: 0 });
    await expect(app.register(halyard, { retention })).rejects.toThrow(message);
  });

  it('may be unlimited', async () => {
    const server = await serve([], { retention: { executionsMs: Infinity, telemetryDays: Infinity } });
    expect(server.origin).toMatch(/^http/);
    await server.close();
  });
});

afterEach(() => {
  vi.useRealTimers();
});
