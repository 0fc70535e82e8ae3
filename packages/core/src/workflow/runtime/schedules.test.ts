import {
  ConfigurationError,
  type ScheduleRule,
  type ScheduleTick,
  silentLogger,
  type WorkQueue,
} from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { InProcessQueue } from './claims/in-process-queue.ts';
import { WorkflowRuntime } from './workflow-runtime.ts';

const clock = { now: () => Date.now() };
const minute = 60_000;
const stopping: (() => Promise<void>)[] = [];

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 9, 59, 30) });
});

afterEach(async () => {
  for (const stop of stopping.splice(0)) await stop();
  vi.useRealTimers();
});

const plain = createWorkflow({ id: 'report' }).andThen({ id: 'write', execute: ({ data }) => ({ wrote: data }) });

/** Processes that share one storage. */
function start(
  workflow: typeof plain,
  { count = 1, leaseMs = 10_000, queue, storage = createInMemoryStorage({ clock }) }: StartOptions = {},
): Pick<Required<StartOptions>, 'storage'> {
  for (let index = 0; index < count; index += 1) {
    const runtime = new WorkflowRuntime({
      workflows: [workflow],
      storage,
      services: { clock, logger: silentLogger },
      leaseMs,
      ...(queue !== undefined && { queue }),
    });
    runtime.start();
    stopping.push(() => runtime.stop(0));
  }
  return { storage };
}

interface StartOptions {
  readonly count?: number;
  /** A process sweeps three times as often. */
  readonly leaseMs?: number;
  readonly queue?: WorkQueue;
  readonly storage?: ReturnType<typeof createInMemoryStorage>;
}

async function startedIn({
  storage,
}: {
  readonly storage: Required<StartOptions>['storage'];
}): Promise<readonly string[]> {
  const { executions } = await storage.executions.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
  return executions.map(({ id }) => id).toReversed();
}

it('starts one execution per tick in several processes, with the input of the schedule', async () => {
  const { storage } = start(plain.schedule({ cron: '*/5 * * * *', input: { to: 'ada' }, name: 'five' }), { count: 3 });
  await vi.advanceTimersByTimeAsync(11 * minute);
  expect(await startedIn({ storage })).toEqual([
    'report:five:2026-01-01T10:00:00Z',
    'report:five:2026-01-01T10:05:00Z',
    'report:five:2026-01-01T10:10:00Z',
  ]);
  const first = await storage.executions.find('anyone', 'report:five:2026-01-01T10:00:00Z');
  expect(first).toMatchObject({
    status: 'completed',
    output: { wrote: { to: 'ada' } },
    metadata: { schedule: 'five', scheduledFor: '2026-01-01T10:00:00.000Z' },
  });
});

it('uses the time zone of the schedule, including daylight saving time', async () => {
  vi.setSystemTime(Date.UTC(2026, 2, 28, 0, 0));
  const given = start(plain.schedule({ cron: '0 9 * * *', timeZone: 'Europe/Berlin' }), { leaseMs: 60 * minute });
  await vi.advanceTimersByTimeAsync(2 * 24 * 60 * minute);
  expect(await startedIn(given)).toEqual([
    'report:schedule:2026-03-28T08:00:00Z',
    'report:schedule:2026-03-29T07:00:00Z',
  ]);
});

it('supports several schedules of one workflow, and does not change the workflow that they were added to', async () => {
  const both = plain.schedule({ cron: '0 10 * * *' }).schedule({ cron: '0 10 * * *', name: 'other', input: 2 });
  expect(plain.schedules).toEqual([]);
  const given = start(both);
  await vi.advanceTimersByTimeAsync(minute);
  expect((await startedIn(given)).toSorted()).toEqual([
    'report:other:2026-01-01T10:00:00Z',
    'report:schedule:2026-01-01T10:00:00Z',
  ]);
});

it('retries a tick after a failure of the storage', async () => {
  const storage = createInMemoryStorage({ clock });
  const create = vi.spyOn(storage.executions, 'create').mockRejectedValueOnce(new RangeError('down'));
  start(plain.schedule({ cron: '0 10 * * *' }), { storage });
  await vi.advanceTimersByTimeAsync(2 * minute);
  expect(await startedIn({ storage })).toEqual(['report:schedule:2026-01-01T10:00:00Z']);
  expect(create).toHaveBeenCalledTimes(2);
});

it('starts nothing after it is stopped, and leaves no timer', async () => {
  const given = start(plain.schedule({ cron: '* * * * *' }));
  for (const stop of stopping.splice(0)) await stop();
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(5 * minute);
  expect(await startedIn(given)).toEqual([]);
});

it('stores schedules in the queue, and starts one execution when timer and queue notice the same tick', async () => {
  class StoringQueue extends InProcessQueue {
    rules: readonly ScheduleRule[] = [];
    deliver: (tick: ScheduleTick) => Promise<void> = async () => {};
    keepSchedules(rules: readonly ScheduleRule[], onTick: (tick: ScheduleTick) => Promise<void>): void {
      this.rules = rules;
      this.deliver = onTick;
    }
  }
  const queue = new StoringQueue();
  const given = start(plain.schedule({ cron: '0 * * * *', name: 'hourly', missed: 'once' }), { queue });
  expect(queue.rules).toEqual([
    { workflowId: 'report', name: 'hourly', cron: '0 * * * *', timeZone: 'UTC', missed: 'once' },
  ]);
  await queue.deliver({ workflowId: 'report', name: 'hourly', noticedAt: Date.UTC(2026, 0, 1, 9, 20) });
  await queue.deliver({ workflowId: 'report', name: 'gone', noticedAt: Date.UTC(2026, 0, 1, 9, 20) });
  await vi.advanceTimersByTimeAsync(minute);
  await queue.deliver({ workflowId: 'report', name: 'hourly', noticedAt: Date.UTC(2026, 0, 1, 10, 0) });
  await queue.deliver({ workflowId: 'report', name: 'hourly', noticedAt: Date.UTC(2026, 0, 1, 10, 0, 31) });
  expect(await startedIn(given)).toEqual(['report:hourly:2026-01-01T09:00:00Z', 'report:hourly:2026-01-01T10:00:00Z']);
});

it.each([
  [{ cron: '61 * * * *' }, 'Cron expression of schedule "schedule" of workflow "report" cannot be read: "61 * * * *"'],
  [{ cron: 'daily' }, '"daily"'],
  [{ cron: '' }, '""'],
  [{ cron: '2026-01-01T00:00:00' }, '"2026-01-01T00:00:00"'],
  [{ cron: '0 0 30 2 *' }, 'never comes true: "0 0 30 2 *"'],
  [{ cron: '0 0 * * *', timeZone: 'Mars/Olympus' }, 'unknown: "Mars/Olympus"'],
  [{ cron: '0 0 * * *', name: 'a:b' }, '"a:b"'],
])('refuses an invalid schedule at once: %o', (options, message) => {
  expect(() => plain.schedule(options)).toThrow(ConfigurationError);
  expect(() => plain.schedule(options)).toThrow(message);
});

it('refuses two schedules with the same name', () => {
  expect(() => plain.schedule({ cron: '@daily' }).schedule({ cron: '@hourly' })).toThrow(
    'two schedules named "schedule"',
  );
});
