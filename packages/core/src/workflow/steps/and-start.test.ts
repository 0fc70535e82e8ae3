import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andStart } from './and-start.ts';

const hour = 3_600_000;

/** Asks for `ask`, fails for `fail`, and else returns its input. */
const report = createWorkflow({ id: 'report', input: Type.String() }).andThen({
  id: 'write',
  execute: ({ data, resumeData, suspend }) => {
    if (data === 'fail') throw new TypeError('a driver’s text');
    return data === 'ask' ? (resumeData ?? suspend('ask')) : `about ${data}`;
  },
});

/** Starts a report for each topic, and waits for all of them. */
const reports = createWorkflow({ id: 'reports', input: Type.Array(Type.String()) })
  .andForEach({ id: 'each', items: ({ data }) => data, step: andStart({ id: 'start', workflow: report }) })
  .andJoin({ id: 'join' });

async function startedBy(kit: WorkflowKit, id: string): Promise<readonly string[]> {
  const { executions } = await kit.storage.executions.list('anyone', {
    parentExecutionId: null,
    metadata: { startedBy: id },
    limit: 1_000,
    offset: 0,
  });
  return executions.map((execution) => execution.id).toReversed();
}

describe('andStart', () => {
  it('starts an execution of its own, for the same user, that continues when the first one has ended', async () => {
    const parent = createWorkflow({ id: 'w' }).andStart({
      id: 'start',
      workflow: report,
      input: () => 'ask',
      metadata: { kind: 'x' },
    });
    const kit = new WorkflowKit(parent);
    const run = await kit.run(null, { userId: 'ada', conversationId: 'c', context: { tenant: 't' } });
    const { executionId: id } = run.result as { executionId: string };
    expect(run.status).toBe('completed');
    await kit.settle();
    expect(await kit.row(id)).toMatchObject({
      workflowId: 'report',
      status: 'suspended',
      parentExecutionId: null,
      userId: 'ada',
      conversationId: 'c',
      context: { tenant: 't' },
      metadata: { kind: 'x', startedBy: run.executionId },
    });
    expect(await kit.resume(id, 'yes')).toMatchObject({ status: 'completed', result: 'yes' });
  });

  it('starts it once when the process dies before that is recorded', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andStart({ id: 'start', workflow: report, input: () => 'cats' }),
    );
    const { executions } = kit.storage;
    const create = executions.create.bind(executions);
    const commit = executions.commit.bind(executions);
    executions.create = async (execution, options) => {
      const outcome = await create(execution, options);
      // Nothing is written after the second execution.
      if (execution.workflowId === 'report') executions.commit = () => new Promise(() => {});
      return outcome;
    };
    const id = await kit.begin();
    executions.commit = commit;
    executions.create = create;
    expect(await startedBy(kit, id)).toHaveLength(1);
    await kit.restart();
    expect(await kit.row(id)).toMatchObject({
      status: 'completed',
      output: { executionId: (await startedBy(kit, id))[0] },
    });
    expect(await startedBy(kit, id)).toHaveLength(1);
  });

  it('fails for an input that the workflow does not accept, and starts nothing', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andStart({ id: 'start', workflow: report, input: () => 7 as never }),
    );
    const run = await kit.run();
    expect(run.error?.message).toMatch(/input.*string/);
    expect(await startedBy(kit, run.executionId)).toEqual([]);
  });

  it('starts later, when it is told to', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andStart({ id: 'start', workflow: report, input: () => 'cats', startAfterMs: hour }),
    );
    const run = await kit.run();
    const [id = ''] = await startedBy(kit, run.executionId);
    expect(await kit.row(id)).toMatchObject({ status: 'running', epoch: 0 });
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: 'about cats' });
  });
});

describe('andJoin', () => {
  it('waits for all, without a process, and returns how each has ended', async () => {
    const kit = new WorkflowKit(reports);
    const id = await kit.begin(['cats', 'ask', 'fail', 'ask']);
    await kit.settle();
    const [cats, second = '', failing, fourth = ''] = await startedBy(kit, id);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', runner: null, suspensions: [{ kind: 'event' }] });
    await kit.restart();
    await kit.cancel(fourth);
    await kit.resume(second, 'dogs');
    expect(await kit.waitUntilIdle(id)).toMatchObject({
      status: 'completed',
      result: [
        { executionId: cats, status: 'completed', output: 'about cats' },
        { executionId: second, status: 'completed', output: 'dogs' },
        { executionId: failing, status: 'error', output: null, error: { message: 'Step "write" failed' } },
        { executionId: fourth, status: 'cancelled', output: null },
      ],
    });
    expect(await kit.row(id)).toMatchObject({ suspensions: [], timers: [], resumptions: [] });
  });

  it('finds an end that it was not told about', async () => {
    const kit = new WorkflowKit(reports);
    const id = await kit.begin(['ask']);
    await kit.settle();
    const [asking = ''] = await startedBy(kit, id);
    const { executions } = kit.storage;
    executions.publish = () => Promise.reject(new RangeError('the process has died'));
    await kit.resume(asking, 'dogs');
    expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
    await kit.advance(300_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: [{ output: 'dogs' }] });
  });

  it('does not read executions of other users', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.String() }).andJoin({ id: 'join', executions: ({ data }) => data }),
      report,
    );
    const foreign = await kit.runtime.execute('report', 'secret', { userId: 'eve' });
    expect(await kit.run(foreign.executionId, { userId: 'ada' })).toMatchObject({
      status: 'completed',
      result: [{ status: 'deleted', output: null }],
    });
    expect(await kit.run(foreign.executionId, { userId: 'eve' })).toMatchObject({
      result: [{ output: 'about secret' }],
    });
  });

  it('refuses invalid ids', async () => {
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andJoin({ id: 'join', executions: () => [7 as never] }));
    expect((await kit.run()).error?.message).toContain('executions must be ids');
  });

  it('works in code, for a hundred executions', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andRun({
        id: 'code',
        run: async ({ join, start }) => {
          const started = await Promise.all(
            Array.from({ length: 100 }, (_, index) => start(`start-${index}`, report, `topic ${index}`)),
          );
          const ended = await join('join', started);
          return ended.map(({ output }) => output);
        },
      }),
      report,
    );
    const id = await kit.begin();
    await expect
      .poll(async () => (await kit.row(id)).output)
      .toEqual(Array.from({ length: 100 }, (_, index) => `about topic ${index}`));
  });
});

describe('andJoin and a retried execution', () => {
  it('is told of its second end at once', async () => {
    let isRepaired = false;
    const failing = createWorkflow({ id: 'failing' })
      .andThen({
        id: 'work',
        execute: () => {
          if (!isRepaired) throw new TypeError('broken');
          return 'done';
        },
      })
      .andThen({
        id: 'ask',
        execute: ({ data, resumeData, suspend }) => (resumeData === undefined ? suspend('?') : data),
      });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andStart({ id: 'start', workflow: failing, input: () => 1 })
        .andThen({
          id: 'wait',
          execute: ({ data, resumeData, suspend }) => (resumeData === undefined ? suspend('?') : data),
        })
        .andJoin({ id: 'join' }),
    );
    const id = await kit.begin();
    const [child = ''] = await startedBy(kit, id);
    expect(await kit.row(child)).toMatchObject({ status: 'error' });
    isRepaired = true;
    await kit.retry(child);
    // It waits for the child, which has ended once and runs again. It receives that first end, and
    // waits again.
    await kit.answer(id, true);
    await kit.advance(0);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', suspensions: [{ kind: 'event' }] });
    await kit.answer(child, true);
    expect(await kit.row(child)).toMatchObject({ status: 'completed' });
    await kit.settle();
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: [{ status: 'completed', output: 'done' }] });
  });
});

describe('continueAsNew', () => {
  const counting = createWorkflow({ id: 'count', input: Type.Number(), result: Type.String() }).andThen({
    id: 'next',
    execute: ({ data, continueAsNew }): string => (data < 3 ? continueAsNew(data + 1) : `counted to ${data}`),
  });

  it('completes the execution and continues as a new one with another input', async () => {
    const kit = new WorkflowKit(counting);
    const first = await kit.run(1, { userId: 'ada', metadata: { kind: 'x' } });
    const { continuedAs: second } = first.result as { continuedAs: string };
    expect(first.status).toBe('completed');
    const next = await kit.waitUntilIdle(second);
    expect(await kit.row(second)).toMatchObject({
      input: 2,
      userId: 'ada',
      metadata: { kind: 'x', continuedFrom: first.executionId },
    });
    const { continuedAs: third } = next.result as { continuedAs: string };
    expect(await kit.waitUntilIdle(third)).toMatchObject({ status: 'completed', result: 'counted to 3' });
  });

  it('is waited for to its last execution', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andStart({ id: 'start', workflow: counting, input: () => 1 })
        .andJoin({ id: 'join' }),
    );
    const id = await kit.begin();
    await expect
      .poll(async () => (await kit.row(id)).output)
      .toMatchObject([{ status: 'completed', output: 'counted to 3' }]);
  });

  it('is not mistaken for a result that looks like it', async () => {
    const echo = createWorkflow({ id: 'echo' }).andThen({ id: 'same', execute: ({ data }) => data });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.String() }).andJoin({ id: 'join', executions: ({ data }) => data }),
      echo,
    );
    const { executionId: other } = await kit.runtime.execute('echo', 'of somebody else', {});
    const inputs = {
      'names-another': { continuedAs: other },
      'names-none': { continuedAs: 'missing' },
      'names-itself': { continuedAs: 'names-itself' },
    };
    for (const [executionId, input] of Object.entries(inputs)) {
      const { result } = await kit.runtime.execute('echo', input, { executionId }, { until: 'ended' });
      expect(result).toEqual(input);
      expect(await kit.run(executionId)).toMatchObject({ status: 'completed', result: [{ output: input }] });
    }
  });

  it('can be named by no request, so that nobody else gives the result of an execution', async () => {
    const kit = new WorkflowKit(counting);
    for (const continuedFrom of ['run-1', null, {}])
      await expect(kit.runtime.begin('count', 1, { metadata: { continuedFrom } })).rejects.toMatchObject({
        kind: 'invalid-input',
        message: expect.stringContaining('metadata/continuedFrom is reserved') as string,
      });
  });

  it('fails the step in a sub-workflow, and for an input that does not fit', async () => {
    const inner = new WorkflowKit(
      createWorkflow({ id: 'w' }).andWorkflow({ id: 'sub', workflow: counting, input: () => 1 }),
    );
    expect((await inner.run()).error?.message).toContain('a sub-workflow cannot continue as a new execution');
    const wrong = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.Number() }).andThen({
        id: 'next',
        execute: ({ continueAsNew }) => continueAsNew('x' as never),
      }),
    );
    expect((await wrong.run(1)).error?.message).toMatch(/input.*number/);
  });
});
