import { InvalidInputError, type Logger, NotFoundError, silentLogger, type UserRecord } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { isReservedExecutionId } from '../reserved-execution-id.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { toScheduleKey, revisionId, scheduleWorkflowId } from './schedule-record.ts';
import type { ScheduleSettings } from './stored-schedule.ts';

const minute = 60_000;
const hour = 60 * minute;
const second = 1_000;

const remind = createWorkflow({ id: 'remind', input: Type.Object({ text: Type.String() }) }).andThen({
  id: 'send',
  execute: ({ data, state }) => `${state.userId ?? 'nobody'}: ${data.text}`,
});

/** The clock of a kit begins at 2026-01-01T00:00:00Z. */
const daily: ScheduleSettings = {
  id: 'daily',
  userId: 'ada',
  workflowId: 'remind',
  cron: '0 8 * * *',
  timeZone: 'Europe/Berlin',
  input: { text: 'hello' },
};
const ada = { id: 'daily', userId: 'ada' };

async function started(kit: WorkflowKit): Promise<readonly unknown[]> {
  const { executions } = await kit.runtime.list({ owner: 'anyone', workflowId: 'remind', limit: 200 });
  return executions.map(({ metadata }) => metadata['scheduledFor']).toReversed();
}

/** Executions of the internal workflow that have not ended. */
async function running(kit: WorkflowKit): Promise<number> {
  return (await kit.runtime.list({ owner: 'anyone', workflowId: scheduleWorkflowId, status: 'running' })).executions
    .length;
}

describe('a stored schedule', () => {
  it('starts an execution of its user at each tick, with its settings', async () => {
    const kit = new WorkflowKit(remind);
    const settings = {
      ...daily,
      conversationId: 'c',
      context: { tenant: 't' },
      metadata: { kind: 'x' },
      priority: 3,
    };
    const expected = { ...settings, isPaused: false, setAt: '2026-01-01T00:00:00.000Z' };
    expect(await kit.runtime.schedules.set(settings)).toEqual({ ...expected, nextAt: '2026-01-01T07:00:00.000Z' });
    await kit.settle();
    await kit.advance(7 * hour - second);
    expect(await started(kit)).toEqual([]);
    await kit.advance(second);
    await kit.advance(24 * hour);
    expect(await started(kit)).toEqual(['2026-01-01T07:00:00.000Z', '2026-01-02T07:00:00.000Z']);
    const { executions } = await kit.runtime.list({ owner: { user: 'ada' }, workflowId: 'remind' });
    expect(executions[0]).toMatchObject({
      id: `remind:${toScheduleKey(ada)}:2026-01-02T07:00:00Z`,
      status: 'completed',
      output: 'ada: hello',
      userId: 'ada',
      conversationId: 'c',
      context: { tenant: 't' },
      metadata: { kind: 'x', scheduleId: 'daily', scheduledFor: '2026-01-02T07:00:00.000Z' },
      priority: 3,
    });
    expect(await kit.runtime.schedules.get(ada)).toEqual({ ...expected, nextAt: '2026-01-03T07:00:00.000Z' });
  });

  it('can be an interval, and can belong to no one', async () => {
    const kit = new WorkflowKit(createWorkflow({ id: 'remind' }).andThen({ id: 'send', execute: () => 1 }));
    const { schedules } = kit.runtime;
    await schedules.set({ id: 'often', workflowId: 'remind', everyMs: 90 * second });
    await kit.settle();
    await kit.advance(90 * second);
    await kit.advance(90 * second);
    expect(await started(kit)).toEqual(['2026-01-01T00:01:30.000Z', '2026-01-01T00:03:00.000Z']);
    expect(await schedules.get({ id: 'often' })).toMatchObject({ input: {}, nextAt: '2026-01-01T00:04:30.000Z' });
  });

  it('starts the first execution of an interval one interval later, and not up to a second earlier', async () => {
    const kit = new WorkflowKit(createWorkflow({ id: 'remind' }).andThen({ id: 'send', execute: () => 1 }));
    kit.clock.advance(900);
    const settings = { id: 'often', workflowId: 'remind', everyMs: 10 * second };
    expect(await kit.runtime.schedules.set(settings)).toMatchObject({ nextAt: '2026-01-01T00:00:11.000Z' });
    await kit.settle();
    await kit.advance(10 * second);
    expect(await started(kit)).toEqual([]);
    await kit.advance(second);
    expect(await started(kit)).toEqual(['2026-01-01T00:00:11.000Z']);
  });

  it('survives its process, and starts one execution for the ticks that passed meanwhile', async () => {
    const kit = new WorkflowKit(remind);
    await kit.runtime.schedules.set({ ...daily, cron: '*/10 * * * *' });
    await kit.settle();
    await kit.advance(10 * minute);
    kit.clock.advance(35 * minute);
    await kit.restart();
    await kit.advance(4 * minute);
    expect(await started(kit)).toEqual([
      '2026-01-01T00:10:00.000Z',
      '2026-01-01T00:40:00.000Z',
      '2026-01-01T00:50:00.000Z',
    ]);
  });

  it('starts one execution for a tick when the process dies before that is recorded', async () => {
    const kit = new WorkflowKit(remind);
    await kit.runtime.schedules.set({ ...daily, everyMs: hour, cron: undefined, timeZone: undefined });
    await kit.settle();
    const { executions } = kit.storage;
    const create = executions.create.bind(executions);
    const commit = executions.commit.bind(executions);
    executions.create = async (execution, options) => {
      const outcome = await create(execution, options);
      // Nothing is written after the execution of the tick.
      executions.commit = () => new Promise(() => {});
      return outcome;
    };
    await kit.advance(hour);
    executions.create = create;
    executions.commit = commit;
    expect(await started(kit)).toHaveLength(1);
    await kit.restart();
    expect(await started(kit)).toEqual(['2026-01-01T01:00:00.000Z']);
    await kit.advance(hour);
    expect(await started(kit)).toEqual(['2026-01-01T01:00:00.000Z', '2026-01-01T02:00:00.000Z']);
  });

  it('goes on for ever, with a new journal from time to time', async () => {
    const kit = new WorkflowKit(remind);
    await kit.runtime.schedules.set({ ...daily, cron: '* * * * *' });
    await kit.settle();
    for (let count = 0; count < 120; count += 1) await kit.advance(minute);
    const ticks = await started(kit);
    expect(ticks).toHaveLength(120);
    expect(new Set(ticks).size).toBe(120);
    expect(await running(kit)).toBe(1);
    expect(await kit.row(revisionId({ key: toScheduleKey(ada), revision: 3 }))).toMatchObject({ status: 'running' });
    expect(await kit.runtime.schedules.get(ada)).toMatchObject({ setAt: '2026-01-01T00:00:00.000Z' });
  });

  it('goes on when an execution cannot be started, and logs that', async () => {
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: (fields) => void errors.push(fields) };
    const kit = new WorkflowKit(remind).use({ logger });
    await kit.runtime.schedules.set({ ...daily, cron: '0 * * * *', timeZone: undefined });
    await kit.settle();
    const stricter = createWorkflow({ id: 'remind', input: Type.Object({ topic: Type.String() }) }).andThen({
      id: 'send',
      execute: () => 1,
    });
    await kit.restart(stricter);
    await kit.advance(hour);
    expect(await started(kit)).toEqual([]);
    expect(errors).toMatchObject([{ workflowId: 'remind', scheduleId: 'daily', tick: '2026-01-01T01:00:00.000Z' }]);
    await kit.restart(remind);
    await kit.advance(hour);
    expect(await started(kit)).toEqual(['2026-01-01T02:00:00.000Z']);
  });

  it('is started by another process when this one does not have the workflow', async () => {
    const kit = new WorkflowKit(remind);
    await kit.runtime.schedules.set({ ...daily, cron: '0 * * * *', timeZone: undefined });
    await kit.settle();
    const other = createWorkflow({ id: 'other' }).andThen({ id: 'one', execute: () => 1 });
    await kit.restart(other);
    await kit.advance(hour);
    expect(await started(kit)).toEqual([]);
    await kit.restart(other, remind);
    await kit.advance(minute);
    expect(await started(kit)).toEqual(['2026-01-01T01:00:00.000Z']);
  });
});

describe('a change of a stored schedule', () => {
  it('replaces it at once, and leaves one', async () => {
    const kit = new WorkflowKit(remind);
    const { schedules } = kit.runtime;
    await schedules.set(daily);
    await kit.settle();
    await schedules.set({ ...daily, cron: '30 * * * *', timeZone: undefined, input: { text: 'changed' } });
    await kit.settle();
    expect(await running(kit)).toBe(1);
    await kit.advance(8 * hour);
    const { executions } = await kit.runtime.list({ owner: 'anyone', workflowId: 'remind' });
    expect(executions).toMatchObject([
      { output: 'ada: changed', metadata: { scheduledFor: '2026-01-01T07:30:00.000Z' } },
    ]);
  });

  it('changes nothing when the settings are the same, whatever the time', async () => {
    const kit = new WorkflowKit(remind);
    const settings = { id: 'often', workflowId: 'remind', everyMs: hour, input: { text: 'hi' }, metadata: { a: 1 } };
    const first = await kit.runtime.schedules.set(settings);
    await kit.settle();
    await kit.advance(hour / 2);
    expect(await kit.runtime.schedules.set({ ...settings })).toEqual(first);
    // With another input, the interval goes on.
    expect(await kit.runtime.schedules.set({ ...settings, input: { text: 'ho' } })).toMatchObject({
      nextAt: first.nextAt,
    });
    expect(await running(kit)).toBe(1);
  });

  it('pauses and resumes, without the ticks in between', async () => {
    const kit = new WorkflowKit(remind);
    const { schedules } = kit.runtime;
    await schedules.set({ ...daily, cron: '0 * * * *', timeZone: undefined });
    await kit.settle();
    expect(await schedules.pause(ada)).toMatchObject({ isPaused: true, nextAt: null });
    expect(await schedules.pause(ada)).toMatchObject({ isPaused: true });
    await kit.settle();
    await kit.advance(3 * hour + minute);
    await kit.restart();
    expect(await started(kit)).toEqual([]);
    expect(await kit.runtime.schedules.get(ada)).toMatchObject({ isPaused: true, nextAt: null });
    expect(await kit.runtime.schedules.resume(ada)).toMatchObject({
      isPaused: false,
      nextAt: '2026-01-01T04:00:00.000Z',
    });
    await kit.settle();
    await kit.advance(hour);
    expect(await started(kit)).toEqual(['2026-01-01T04:00:00.000Z']);
  });

  it('deletes it, and it can be set again', async () => {
    const kit = new WorkflowKit(remind);
    const { schedules } = kit.runtime;
    await schedules.set(daily);
    await kit.settle();
    expect(await schedules.delete(ada)).toBe(true);
    expect(await schedules.delete(ada)).toBe(false);
    await kit.settle();
    expect(await running(kit)).toBe(0);
    await expect(schedules.get(ada)).rejects.toThrow(new NotFoundError('schedule', 'daily'));
    await expect(schedules.pause(ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
    await expect(schedules.resume(ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
    expect(await schedules.list({ owner: 'anyone' })).toEqual({ schedules: [] });
    await kit.advance(24 * hour);
    expect(await started(kit)).toEqual([]);
    await schedules.set(daily);
    await kit.settle();
    await kit.advance(24 * hour);
    expect(await started(kit)).toEqual(['2026-01-02T07:00:00.000Z']);
  });

  it('has one result when several processes change it at the same time', async () => {
    const kit = new WorkflowKit(remind);
    const { schedules } = kit.runtime;
    const texts = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(texts.map((text) => schedules.set({ ...daily, input: { text } })));
    await kit.settle();
    await kit.settle();
    expect(await running(kit)).toBe(1);
    // Each change came after another one, and none was lost.
    expect(await kit.row(revisionId({ key: toScheduleKey(ada), revision: texts.length }))).toMatchObject({
      status: 'running',
    });
    const { input } = await schedules.get(ada);
    await kit.advance(7 * hour);
    const { executions } = await kit.runtime.list({ owner: 'anyone', workflowId: 'remind' });
    expect(executions).toMatchObject([{ input }]);
  });

  it('counts also at the moment when the schedule continues with a new journal', async () => {
    const kit = new WorkflowKit(remind);
    await kit.runtime.schedules.set({ ...daily, cron: '* * * * *' });
    await kit.settle();
    const { executions } = kit.storage;
    const create = executions.create.bind(executions);
    let isDeleted = false;
    executions.create = async (execution, options) => {
      if (!isDeleted && execution.id === revisionId({ key: toScheduleKey(ada), revision: 2 })) {
        isDeleted = true;
        await kit.runtime.schedules.delete(ada);
      }
      return create(execution, options);
    };
    for (let count = 0; count < 60; count += 1) await kit.advance(minute);
    expect(isDeleted).toBe(true);
    expect(await started(kit)).toHaveLength(50);
    expect(await running(kit)).toBe(0);
    await expect(kit.runtime.schedules.get(ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
  });

  describe('when the process dies before the earlier revision has ended', () => {
    const changes: Readonly<Record<string, (kit: WorkflowKit) => Promise<unknown>>> = {
      set: ({ runtime }) => runtime.schedules.set({ ...daily, input: { text: 'new' } }),
      pause: ({ runtime }) => runtime.schedules.pause(ada),
      delete: ({ runtime }) => runtime.schedules.delete(ada),
    };
    async function dieAfter(kit: WorkflowKit, ...names: readonly string[]): Promise<void> {
      const { executions } = kit.storage;
      const request = executions.request.bind(executions);
      executions.request = () => Promise.reject(new RangeError('the process has died'));
      for (const name of names) await expect(changes[name]?.(kit)).rejects.toThrow('died');
      executions.request = request;
    }

    it.each([
      [['set'], ['new']],
      [['pause'], ['hello']],
      [['delete'], []],
      [['set', 'pause', 'set'], ['new']],
      [['set', 'delete'], []],
    ])('counts, and another process ends all earlier ones: %j', async (names, expected) => {
      const kit = new WorkflowKit(remind);
      await kit.runtime.schedules.set(daily);
      await kit.settle();
      await dieAfter(kit, ...names);
      await kit.restart();
      await kit.advance(second);
      expect(await running(kit)).toBe(expected.length);
      const { schedules } = await kit.runtime.schedules.list({ owner: 'anyone' });
      expect(schedules.map(({ input }) => input)).toEqual(expected.map((text) => ({ text })));
      await kit.advance(7 * hour);
      const listed = await kit.runtime.list({ owner: 'anyone', workflowId: 'remind' });
      expect(listed.executions.map(({ output }) => output)).toEqual(
        names.at(-1) === 'set' ? expected.map((text) => `ada: ${text}`) : [],
      );
    });

    it('stays deleted after the retention', async () => {
      const kit = new WorkflowKit(remind);
      await kit.runtime.schedules.set({ ...daily, cron: '0 0 1 1 *' });
      await kit.settle();
      await dieAfter(kit, 'delete');
      await kit.restart();
      await kit.advance(second);
      await kit.advance(2 * hour);
      await kit.storage.executions.purge(hour, 100);
      await expect(kit.runtime.schedules.get(ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
      expect(await running(kit)).toBe(0);
    });
  });
});

describe('the owner of a stored schedule', () => {
  it('has its own ids, and lists only its own', async () => {
    const kit = new WorkflowKit(remind);
    const { schedules } = kit.runtime;
    await schedules.set(daily);
    kit.clock.advance(1);
    await schedules.set({ ...daily, userId: 'ben' });
    kit.clock.advance(1);
    await schedules.set({ ...daily, userId: undefined });
    await kit.settle();
    const usersOf = async (owner: { readonly user: string } | 'anyone') =>
      (await schedules.list({ owner })).schedules.map(({ userId }) => userId);
    expect(await usersOf({ user: 'ada' })).toEqual(['ada']);
    expect(await usersOf({ user: 'eve' })).toEqual([]);
    expect(await usersOf('anyone')).toEqual([undefined, 'ben', 'ada']);
    const first = await schedules.list({ owner: 'anyone', limit: 2 });
    expect(first.schedules.map(({ userId }) => userId)).toEqual([undefined, 'ben']);
    // A change of the last one of a page loses no other.
    await schedules.pause({ id: 'daily', userId: 'ben' });
    const rest = await schedules.list({ owner: 'anyone', limit: 2, after: first.next });
    expect(rest).toMatchObject({ schedules: [{ userId: 'ada' }] });
    await schedules.delete({ id: 'daily' });
    await kit.settle();
    expect(await usersOf('anyone')).toEqual(['ben', 'ada']);
  });

  it('exports and deletes it with the data of the user', async () => {
    const kit = new WorkflowKit(remind);
    const { schedules } = kit.runtime;
    await schedules.set(daily);
    await schedules.set({ ...daily, userId: 'ben' });
    await kit.settle();
    const records: UserRecord[] = [];
    for await (const record of kit.storage.users.export('ada')) records.push(record);
    expect(records).toMatchObject([
      { execution: { userId: 'ada', input: { id: 'daily', rule: { cron: '0 8 * * *' } } } },
    ]);
    await kit.storage.users.delete('ada');
    await kit.runtime.endDeleted();
    await expect(schedules.get(ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
    await kit.advance(7 * hour);
    expect((await kit.runtime.list({ owner: 'anyone', workflowId: 'remind' })).executions).toMatchObject([
      { userId: 'ben' },
    ]);
  });

  describe('whose data is deleted at the same time', () => {
    /** The data is deleted after the schedule was read, and before this execution is stored. */
    function deleteBefore(kit: WorkflowKit, executionId: string): void {
      const { executions, users } = kit.storage;
      const create = executions.create.bind(executions);
      executions.create = async (execution, options) => {
        if (execution.id === executionId) await users.delete('ada');
        return create(execution, options);
      };
    }
    const revision = (number: number): string => revisionId({ key: toScheduleKey(ada), revision: number });
    const sleeper = createWorkflow({ id: 'remind' })
      .andSleep({ id: 'later', durationMs: minute })
      .andThen({ id: 'send', execute: () => 'sent' });

    it('has nothing sent by a tick', async () => {
      const kit = new WorkflowKit(sleeper);
      await kit.runtime.schedules.set(daily);
      await kit.settle();
      deleteBefore(kit, `remind:${toScheduleKey(ada)}:2026-01-01T07:00:00Z`);
      await kit.advance(7 * hour);
      await kit.advance(48 * hour);
      const { executions } = await kit.runtime.list({ owner: 'anyone', workflowId: 'remind' });
      expect(executions).toMatchObject([{ status: 'cancelled' }]);
      await expect(kit.runtime.schedules.get(ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
      expect(await running(kit)).toBe(0);
    });

    it.each(['before', 'after'])('ends when it continues with a new journal: %s that was read', async (moment) => {
      const kit = new WorkflowKit(remind);
      await kit.runtime.schedules.set({ ...daily, cron: '* * * * *' });
      await kit.settle();
      for (let count = 0; count < 49; count += 1) await kit.advance(minute);
      if (moment === 'after') deleteBefore(kit, revision(2));
      else {
        const { executions, users } = kit.storage;
        const commit = executions.commit.bind(executions);
        executions.commit = async (change) => {
          const outcome = await commit(change);
          if (change.entries.some(({ path }) => path.endsWith('start-49'))) await users.delete('ada');
          return outcome;
        };
      }
      await kit.advance(minute);
      for (let count = 0; count < 3; count += 1) await kit.advance(minute);
      expect(await running(kit)).toBe(0);
      await expect(kit.runtime.schedules.get(ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
      expect((await kit.runtime.list({ owner: { user: 'ada' }, workflowId: 'remind' })).executions).toEqual([]);
    });

    it.each(['pause', 'resume'] as const)('is not kept by %s', async (operation) => {
      const kit = new WorkflowKit(remind);
      const { schedules } = kit.runtime;
      await schedules.set(daily);
      if (operation === 'resume') await schedules.pause(ada);
      await kit.settle();
      deleteBefore(kit, revision(operation === 'resume' ? 3 : 2));
      await expect(schedules[operation](ada)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
      await kit.settle();
      expect(await running(kit)).toBe(0);
    });

    it('is stored again by a set that comes after', async () => {
      const kit = new WorkflowKit(remind);
      const { schedules } = kit.runtime;
      await schedules.set(daily);
      await kit.settle();
      deleteBefore(kit, revision(2));
      await schedules.set({ ...daily, input: { text: 'new' } });
      await kit.settle();
      expect(await schedules.get(ada)).toMatchObject({ input: { text: 'new' } });
      expect(await running(kit)).toBe(1);
    });
  });

  it('is not reached by bulk operations', async () => {
    const kit = new WorkflowKit(remind);
    const { bulk, schedules } = kit.runtime;
    await schedules.set(daily);
    await kit.settle();
    expect(await bulk.preview({ filter: { status: 'running' } })).toEqual({ matched: 0, executionIds: [] });
    const { bulkId } = await bulk.start({ operation: 'cancel', all: true });
    expect(await bulk.wait(bulkId)).toMatchObject({ status: 'completed', matched: 0, succeeded: 0, failed: 0 });
    expect(await schedules.get(ada)).toMatchObject({ isPaused: false });
  });

  it('cannot take the ids of schedules, nor start or replay their workflow', async () => {
    const kit = new WorkflowKit(remind);
    const { runtime } = kit;
    await runtime.schedules.set(daily);
    await kit.settle();
    const id = revisionId({ key: toScheduleKey(ada), revision: 1 });
    expect(isReservedExecutionId(id, runtime.workflows, 'remind')).toBe(true);
    expect(
      isReservedExecutionId(`remind:${toScheduleKey(ada)}:2026-01-02T07:00:00Z`, runtime.workflows, 'remind'),
    ).toBe(true);
    await expect(runtime.begin(scheduleWorkflowId, {})).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    const key = { owner: 'anyone', workflowId: scheduleWorkflowId, executionId: id } as const;
    await expect(runtime.replay(key, { stepId: 'ticks' })).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
  });
});

describe('the settings of a stored schedule', () => {
  const refused: readonly (readonly [change: object, message: string | RegExp])[] = [
    [{ id: '' }, 'id must match'],
    [{ id: 'a b' }, 'id must match'],
    [{ userId: 'a\nb' }, 'userId must be a text'],
    [{ cron: undefined, timeZone: undefined }, 'a schedule needs either `cron` or `everyMs`'],
    [{ everyMs: hour }, 'a schedule needs either `cron` or `everyMs`'],
    [{ cron: 'never' }, 'Cron expression of the schedule cannot be read: "never"'],
    [{ cron: '0 0 30 2 *' }, 'Cron expression of the schedule never comes true: "0 0 30 2 *"'],
    [{ cron: 5 }, 'cron must be a text'],
    [{ timeZone: 'Mars/Base' }, 'Time zone of the schedule is unknown: "Mars/Base"'],
    [{ cron: undefined, everyMs: hour }, 'timeZone belongs to `cron`: an interval has none'],
    [{ cron: undefined, timeZone: undefined, everyMs: 500 }, 'everyMs must be whole seconds'],
    [{ cron: undefined, timeZone: undefined, everyMs: 1_500 }, 'everyMs must be whole seconds'],
    [{ cron: undefined, timeZone: undefined, everyMs: '60000' }, 'everyMs must be whole seconds'],
    [{ input: { text: 5 } }, 'input/text must be string'],
    [{ input: undefined }, "input must have required property 'text'"],
    [{ input: { text: new Map() } }, 'input is a Map in "text", which is not JSON'],
    [{ priority: 1.5 }, 'priority must be a whole number, -1000 to 1000'],
    [{ metadata: { continuedFrom: 'x' } }, 'metadata/continuedFrom is reserved'],
    [{ conversationId: 'a b' }, 'conversationId must match'],
    [{ timezone: 'UTC' }, 'timezone is not a setting of a schedule'],
  ];

  it('may have a cron expression of 256 characters', async () => {
    const kit = new WorkflowKit(remind);
    const cron = `0 8 * * *${' '.repeat(247)}`;
    expect(await kit.runtime.schedules.set({ ...daily, cron })).toMatchObject({ cron });
  });

  it.each([
    ['cron', '0,'.repeat(500_000) + '0 * * * *'],
    ['cron', `0 0 * * *${' '.repeat(248)}`],
    ['timeZone', 'A'.repeat(257)],
  ])('are refused before they are read, if they are too long: %s', async (name, text) => {
    const kit = new WorkflowKit(remind);
    const setting = kit.runtime.schedules.set({ ...daily, [name]: text });
    await expect(setting).rejects.toThrow(new InvalidInputError(`${name} must have at most 256 characters`));
  });

  it.each(refused)('are refused: %j', async (change, message) => {
    const kit = new WorkflowKit(remind);
    const setting = kit.runtime.schedules.set({ ...daily, ...change });
    await expect(setting).rejects.toBeInstanceOf(InvalidInputError);
    await expect(setting).rejects.toThrow(message);
    expect(await running(kit)).toBe(0);
  });

  it.each(['unknown', 'halyard:bulk', scheduleWorkflowId])('need a workflow of the app: %s', async (workflowId) => {
    const kit = new WorkflowKit(remind);
    await expect(kit.runtime.schedules.set({ ...daily, workflowId })).rejects.toThrow(
      new NotFoundError('workflow', workflowId),
    );
  });
});
