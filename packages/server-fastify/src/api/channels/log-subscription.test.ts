import type { LogFilter, LogRecord, SpanRecord } from '@halyard/contracts';
import { Telemetry } from '@halyard/core/server';
import { fixedClock, silentLogger } from '@halyard/core/testing';
import { createInMemoryTelemetryStore } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TestConnection } from '../../testing/test-connection.ts';
import { LogSubscription } from './log-subscription.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const everything: LogFilter = { limit: 100, offset: 0 };

function line(body: string, attributes: LogRecord['attributes'] = {}): LogRecord {
  return { timestamp: 1, traceId: null, spanId: null, severityNumber: 17, severityText: 'ERROR', body, attributes };
}

/** A log whose reads wait for the test, and its subscription. */
function follow(filter = everything) {
  const errors: unknown[] = [];
  const store = createInMemoryTelemetryStore();
  const logger = { ...silentLogger, error: (fields: unknown) => void errors.push(fields) };
  const telemetry = new Telemetry({ store, clock: fixedClock(), logger });
  const listLogs = store.listLogs.bind(store);
  const reads: (() => void)[] = [];
  let failure: Error | undefined;
  store.listLogs = async (owner, query) => {
    await new Promise<void>((resolve) => void reads.push(resolve));
    if (failure !== undefined) throw failure;
    const { logs, total } = await listLogs(owner, query);
    return { logs: logs.map((log) => ({ ...log, attributes: reversed(log.attributes) })), total };
  };
  telemetry.logged(line('before'));
  const connection = new TestConnection();
  const failures: unknown[] = [];
  const subscription = new LogSubscription(filter, {
    connection,
    telemetry,
    owner: 'anyone',
    clock: fixedClock(),
    onFailure: (error) => void failures.push(error),
  });
  /** Waits until the lines are about to be read. */
  const reading = (): Promise<void> => vi.waitUntil(() => reads.length > 0).then(() => {});
  const finishRead = async (error?: Error): Promise<void> => {
    failure = error;
    reads.shift()?.();
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };
  const sent = (): unknown[] =>
    connection.sent.map((text) => {
      const { logs, type } = JSON.parse(text) as { readonly type: string; readonly logs: { readonly msg: string }[] };
      return [type, ...logs.map(({ msg }) => msg)];
    });
  return { connection, errors, failures, finishRead, reading, sent, subscription, telemetry };
}

/** The same attributes in another order, as a database may return them. */
function reversed<Values extends object>(attributes: Values): Values {
  return Object.fromEntries(Object.entries(attributes).toReversed()) as Values;
}

describe('a subscription to the log', () => {
  it('sends a line once that is written while earlier ones are read, equal lines as often as they are', async () => {
    const { finishRead, reading, sent, telemetry } = follow();
    await reading();
    const twice = line('twice', { b: '1', c: '2', a: '3' });
    telemetry.logged(twice);
    telemetry.logged({ ...twice });
    await telemetry.flush();
    telemetry.logged({ ...twice });
    telemetry.logged(line('late'));
    await finishRead();
    expect(sent()).toEqual([['initial', 'before', 'twice', 'twice']]);
    await vi.advanceTimersByTimeAsync(25);
    expect(sent().slice(1)).toEqual([['update', 'twice', 'late']]);
  });

  it('sends what is written later in batches, and no empty ones', async () => {
    const { errors, finishRead, reading, sent, telemetry } = follow();
    await reading();
    await finishRead();
    await vi.advanceTimersByTimeAsync(25);
    expect(sent()).toEqual([['initial', 'before']]);
    telemetry.spanStarted({ traceId: 't', spanId: 's', isEntry: false } as SpanRecord);
    for (const body of ['one', 'two']) telemetry.logged(line(body));
    await vi.advanceTimersByTimeAsync(24);
    expect(sent()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([sent()[1], errors]).toEqual([['update', 'one', 'two'], []]);
  });

  it('sends nothing of the filter before, and nothing new before earlier lines', async () => {
    const { finishRead, reading, sent, subscription, telemetry } = follow({ ...everything, agentId: 'a' });
    await reading();
    await finishRead();
    telemetry.logged(line('of a', { agentId: 'a' }));
    subscription.change({ ...everything, agentId: 'b' });
    telemetry.logged(line('of b', { agentId: 'b' }));
    await reading();
    await vi.advanceTimersByTimeAsync(25);
    expect(sent()).toEqual([['initial']]);
    await finishRead();
    await vi.advanceTimersByTimeAsync(25);
    expect(sent()).toEqual([['initial'], ['initial', 'of b']]);
  });

  it('closes when more lines than it holds are written while earlier ones are read', async () => {
    const { connection, finishRead, reading, sent, telemetry } = follow();
    await reading();
    for (let count = 0; count < 10_000; count += 1) telemetry.logged(line('x'));
    expect(connection.closes).toEqual([]);
    for (let count = 0; count < 2; count += 1) telemetry.logged(line('x'));
    expect(connection.closes).toEqual([[1013, 'too much is waiting to be read']]);
    await finishRead();
    expect(sent()).toEqual([]);
  });

  it('closes when earlier lines cannot be read', async () => {
    const { connection, failures, finishRead, reading } = follow();
    await reading();
    const error = new Error('The database is gone');
    await finishRead(error);
    expect(failures).toEqual([error]);
    expect(connection.closes).toEqual([[1011, 'internal error']]);
  });

  it.each([undefined, new Error('The database is gone')])(
    'ends when the client leaves during a read: %s',
    async (error) => {
      const { connection, failures, finishRead, reading, telemetry } = follow();
      await reading();
      connection.leave();
      telemetry.logged(line('late'));
      await finishRead(error);
      await telemetry.flush();
      expect([connection.closes, connection.refused, failures, vi.getTimerCount()]).toEqual([[], [], [], 0]);
    },
  );

  it('ends when the client leaves, with lines that were not sent', async () => {
    const { connection, finishRead, reading, telemetry } = follow();
    await reading();
    await finishRead();
    await vi.advanceTimersByTimeAsync(25);
    await telemetry.flush();
    telemetry.logged(line('late'));
    connection.leave();
    telemetry.logged(line('later'));
    await telemetry.flush();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends when a text cannot be sent', async () => {
    const { connection, finishRead, reading, telemetry } = follow();
    await reading();
    await finishRead();
    connection.isOpen = false;
    for (const body of ['one', 'two']) {
      telemetry.logged(line(body));
      await vi.advanceTimersByTimeAsync(25);
    }
    expect(connection.refused).toEqual([expect.stringContaining('one')]);
  });

  it('has no lines when nothing is recorded', async () => {
    const connection = new TestConnection();
    const owner = 'anyone';
    const options = { connection, telemetry: undefined, owner, clock: fixedClock(), onFailure: () => {} } as const;
    const subscription = new LogSubscription(everything, options);
    subscription.change(everything);
    await vi.waitUntil(() => connection.sent.length > 0);
    expect(JSON.parse(connection.sent[0] ?? '')).toMatchObject({ type: 'initial', logs: [] });
    connection.leave();
  });
});
