import { ConfigurationError, silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
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
  { count = 1, leaseMs = 10_000, storage = createInMemoryStorage({ clock }) }: StartOptions = {},
): Pick<Required<StartOptions>, 'storage'> {
  for (let index = 0; index < count; index += 1) {
    const runtime = new WorkflowRuntime({
      workflows: [workflow],
      storage,
      services: { clock, logger: silentLogger },
      leaseMs,
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

describe('a tick while no process ran', () => {
  const hourly = (missed: 'once' | 'skip') => plain.schedule({ cron: '0 * * * *', name: 'hourly', missed });
  /** A process runs until 10:00:30, and another one from 13:20 on. */
  async function restart(workflow: typeof plain): Promise<ReturnType<typeof start>> {
    const given = start(workflow);
    await vi.advanceTimersByTimeAsync(minute);
    for (const stop of stopping.splice(0)) await stop();
    vi.setSystemTime(Date.UTC(2026, 0, 1, 13, 20));
    return given;
  }

  it('starts the last one once with `once`, in several processes', async () => {
    const { storage } = await restart(hourly('once'));
    start(hourly('once'), { storage, count: 3 });
    await vi.advanceTimersByTimeAsync(minute);
    const expected = ['report:hourly:2026-01-01T10:00:00Z', 'report:hourly:2026-01-01T13:00:00Z'];
    expect(await startedIn({ storage })).toEqual(expected);
    start(hourly('once'), { storage });
    await vi.advanceTimersByTimeAsync(minute);
    expect(await startedIn({ storage })).toEqual(expected);
  });

  it('starts nothing with `skip`', async () => {
    const { storage } = await restart(hourly('skip'));
    start(hourly('skip'), { storage });
    await vi.advanceTimersByTimeAsync(minute);
    expect(await startedIn({ storage })).toEqual(['report:hourly:2026-01-01T10:00:00Z']);
  });

  it('starts nothing for a new schedule, nor for one whose execution of this tick is stored', async () => {
    const { storage } = await restart(hourly('once'));
    const other = plain.schedule({ cron: '0 * * * *', name: 'other', missed: 'once' });
    start(other, { storage });
    vi.setSystemTime(Date.UTC(2026, 0, 1, 10, 30));
    start(hourly('once'), { storage });
    await vi.advanceTimersByTimeAsync(minute);
    expect(await startedIn({ storage })).toEqual(['report:hourly:2026-01-01T10:00:00Z']);
  });

  it.each([
    ['of an earlier id', 'report:a', 1],
    ['of a later id', 'zzz', 1],
    ['on several pages', 'zzz', 250],
    ['of another schedule', 'report:zzz:2026-01-01T10:00:00Z', 1],
  ])('is not affected by other executions with its metadata: %s', async (_, id, count) => {
    const { storage } = await restart(hourly('once'));
    const runtime = new WorkflowRuntime({ workflows: [plain], storage, services: { clock, logger: silentLogger } });
    const ids = Array.from({ length: count }, (__, index) => (index === 0 ? id : `${id}-${index}`));
    for (const executionId of ids) await runtime.begin('report', {}, { executionId, metadata: { schedule: 'hourly' } });
    start(hourly('once'), { storage });
    await vi.advanceTimersByTimeAsync(minute);
    const started = await startedIn({ storage });
    const { executions } = await storage.executions.list('anyone', {
      parentExecutionId: null,
      ids: ['report:hourly:2026-01-01T13:00:00Z'],
      limit: 1,
      offset: 0,
    });
    expect(executions).toHaveLength(1);
    expect(started).not.toContain('report:hourly:2026-01-01T12:00:00Z');
  });

  it('starts nothing for a new schedule with its metadata, whoever sent them', async () => {
    const storage = createInMemoryStorage({ clock });
    const runtime = new WorkflowRuntime({ workflows: [plain], storage, services: { clock, logger: silentLogger } });
    await runtime.begin('report', {}, { executionId: 'report-1', metadata: { schedule: 'hourly' } });
    await runtime.begin(
      'report',
      {},
      { executionId: 'report:other:2020-01-01T00:00:00Z', metadata: { schedule: 'hourly' } },
    );
    start(hourly('once'), { storage });
    await vi.advanceTimersByTimeAsync(minute);
    expect(await startedIn({ storage })).not.toContain('report:hourly:2026-01-01T09:00:00Z');
  });

  it('is retried after a failure of the storage', async () => {
    const { storage } = await restart(hourly('once'));
    const list = vi.spyOn(storage.executions, 'list').mockRejectedValueOnce(new RangeError('down'));
    start(hourly('once'), { storage });
    await vi.advanceTimersByTimeAsync(minute);
    expect(list).toHaveBeenCalledTimes(2);
    expect(await startedIn({ storage })).toContain('report:hourly:2026-01-01T13:00:00Z');
  });
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
