import { ConfigurationError, type Execution, type UserRecord } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createRecorder } from '../../telemetry/create-recorder.ts';
import { createWorkflow } from '../create-workflow.ts';
import { CollectedSpans } from '../testing/collected-spans.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andStart } from './and-start.ts';

const ada = { user: 'ada' } as const;
const ben = { user: 'ben' } as const;

/** Asks for `ask`, and else returns its input. */
const review = createWorkflow({ id: 'review', input: Type.String() }).andThen({
  id: 'read',
  execute: ({ data, resumeData, suspend }) => (data === 'ask' ? (resumeData ?? suspend('approve?')) : data),
});

/** Starts a review of the input for the user in the context, and waits for it. */
const draft = createWorkflow({ id: 'draft', input: Type.String() })
  .andStart({ id: 'start', workflow: review, userId: ({ context }) => String(context['reviewer']) })
  .andJoin({ id: 'join' });

const ofAda = {
  userId: 'ada',
  conversationId: 'c',
  user: { id: 'ada', name: 'Ada' },
  context: { userId: 'ada', reviewer: 'ben' },
};

async function startReview(
  kit: WorkflowKit,
  input = 'ask',
): Promise<{ readonly id: string; readonly child: Execution }> {
  const id = await kit.begin(input, ofAda);
  await kit.settle();
  const { executions } = await kit.storage.executions.list('anyone', {
    parentExecutionId: null,
    metadata: { startedBy: id },
    limit: 10,
    offset: 0,
  });
  const [child] = executions;
  if (child === undefined) throw new TypeError('nothing was started');
  return { id, child };
}

async function exported(kit: WorkflowKit, userId: string): Promise<readonly string[]> {
  const records: UserRecord[] = [];
  for await (const record of kit.storage.users.export(userId)) records.push(record);
  return records.flatMap((record) => (record.type === 'execution' ? [record.execution.id] : []));
}

describe('an execution that a step starts for another user', () => {
  it('belongs to that user only, without the conversation and the verified user of the one that started it', async () => {
    const kit = new WorkflowKit(draft);
    const { child, id } = await startReview(kit);
    expect(child).toMatchObject({ userId: 'ben', context: { userId: 'ben', reviewer: 'ben' } });
    expect(child.conversationId).toBeUndefined();
    expect(child.user).toBeUndefined();
    expect(await kit.row(id)).toMatchObject({ userId: 'ada', context: { userId: 'ada' }, conversationId: 'c' });

    const { runtime } = kit;
    const key = { workflowId: 'review', executionId: child.id };
    await expect(runtime.get({ ...key, owner: ada })).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
    await expect(runtime.resume({ ...key, owner: ada })).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
    await expect(runtime.cancel({ ...key, owner: ada })).rejects.toMatchObject({ code: 'EXECUTION_NOT_FOUND' });
    const filter = { parentExecutionId: null, limit: 10, offset: 0 };
    const listed = async (owner: typeof ada | typeof ben) =>
      (await kit.storage.executions.list(owner, filter)).executions.map((execution) => execution.id);
    expect(await listed(ada)).toEqual([id]);
    expect(await listed(ben)).toEqual([child.id]);
    expect(await exported(kit, 'ada')).toEqual([id]);
    expect(await exported(kit, 'ben')).toEqual([child.id]);

    await runtime.resume({ ...key, owner: ben }, { resumeData: 'yes' });
    expect(await runtime.wait({ owner: ben, executionId: child.id })).toMatchObject({ result: 'yes' });
    // The workflow has started it, so it may read the result.
    expect(await kit.waitUntilIdle(id)).toMatchObject({ result: [{ status: 'completed', output: 'yes' }] });
  });

  it.each([
    ['a user', ofAda],
    ['the app', { context: { reviewer: 'ben' } }],
  ])('has a trace of its own that names no span of the execution of %s', async (_, options) => {
    const spans = new CollectedSpans();
    const kit = new WorkflowKit(draft);
    const recorder = createRecorder({ sink: spans, clock: kit.clock });
    kit.use({ recorder });
    // Also when the app has a span of its own around all work.
    const around = recorder.start({ name: 'around' });
    const id = await around.run(() => kit.begin('ask', options));
    await expect.poll(() => spans.named('workflow review').length).toBe(1);
    const [started] = spans.named('workflow review');
    expect(started).toMatchObject({ parentSpanId: null, links: [], attributes: { 'user.id': 'ben' } });
    const ofBen = spans.all.filter(({ traceId }) => traceId === started?.traceId);
    expect(ofBen.map(({ name }) => name)).toEqual(['workflow review', 'step read']);
    const { traceId } = spans.one('workflow draft');
    const child = String(started?.attributes['halyard.execution.id']);
    expect(JSON.stringify([ofBen, await kit.row(child)])).not.toContain(traceId);
    expect((await kit.row(id)).metadata['traceId']).toBe(traceId);
    around.end();
  });

  it('has a span in the trace of the step when it is the same user', async () => {
    const spans = new CollectedSpans();
    const kit = new WorkflowKit(draft);
    kit.use({ recorder: createRecorder({ sink: spans, clock: kit.clock }) });
    await kit.begin('text', { ...ofAda, context: { reviewer: 'ada' } });
    await expect.poll(() => spans.named('workflow review').length).toBe(1);
    expect(spans.one('workflow review').parentSpanId).toBe(spans.one('step start').spanId);
  });

  it('stays when the data of the user is deleted whose execution started it', async () => {
    const kit = new WorkflowKit(draft);
    const { child, id } = await startReview(kit);
    expect(await kit.storage.users.delete('ada')).toMatchObject({ executions: 1 });
    expect(await kit.storage.executions.find('anyone', id)).toBeUndefined();
    expect(await kit.resume(child.id, 'yes')).toMatchObject({ status: 'completed', result: 'yes' });
  });

  it('is deleted with the data of its own user, and then counts as deleted for the join', async () => {
    const kit = new WorkflowKit(draft);
    const { child, id } = await startReview(kit);
    expect(await kit.storage.users.delete('ben')).toMatchObject({ executions: 1 });
    await kit.advance(300_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({
      status: 'completed',
      result: [{ executionId: child.id, status: 'deleted', output: null }],
    });
  });

  it.each([
    ['another user', 'mallory'],
    ['the user of the execution that joins it', 'ada'],
    ['no user', undefined],
  ])('counts as deleted when its id now belongs to an execution of %s', async (_, userId) => {
    const kit = new WorkflowKit(draft);
    const { child, id } = await startReview(kit);
    await kit.storage.users.delete('ben');
    await kit.runtime.execute('review', 'forged', { executionId: child.id, userId });
    await kit.advance(300_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({
      status: 'completed',
      result: [{ executionId: child.id, status: 'deleted', output: null }],
    });
  });

  it('counts as deleted when another execution now has the id of the one that continued it', async () => {
    const asking = createWorkflow({ id: 'review', input: Type.String() }).andThen({
      id: 'read',
      execute: ({ continueAsNew, data, resumeData, suspend }) => {
        if (data === 'ask') return continueAsNew('again');
        return data === 'again' ? (resumeData ?? suspend('approve?')) : data;
      },
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andStart({ id: 'start', workflow: asking, input: () => 'ask', userId: 'ben' })
        .andJoin({ id: 'join' }),
      asking,
    );
    const id = await kit.begin(null, { userId: 'ada' });
    const continued = async (): Promise<string | undefined> =>
      (await kit.storage.executions.list(ben, { parentExecutionId: null, status: 'suspended', limit: 10, offset: 0 }))
        .executions[0]?.id;
    await expect.poll(continued).toBeDefined();
    const executionId = (await continued()) ?? '';
    await expect.poll(async () => (await kit.row(id)).suspensions[0]?.event?.key).toBe(executionId);
    await kit.storage.users.delete('ben');
    await kit.runtime.execute('review', 'forged', { executionId, userId: 'mallory' });
    await kit.advance(300_000);
    await expect.poll(async () => (await kit.row(id)).output).toMatchObject([{ status: 'deleted', output: null }]);
  });

  it('is joined after a takeover, and where it continues as a new execution', async () => {
    const counting = createWorkflow({ id: 'count', input: Type.Number() }).andThen({
      id: 'next',
      execute: ({ continueAsNew, data, resumeData, state, suspend }) => {
        if (data < 3) return continueAsNew(data + 1);
        return resumeData === undefined ? suspend('go on?') : `${state.userId} counted to ${data}`;
      },
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andStart({ id: 'start', workflow: counting, input: () => 1, userId: 'ben' })
        .andJoin({ id: 'join' }),
    );
    const id = await kit.begin(null, { userId: 'ada' });
    const last = async (): Promise<Execution | undefined> =>
      (await kit.storage.executions.list(ben, { parentExecutionId: null, status: 'suspended', limit: 10, offset: 0 }))
        .executions[0];
    await expect.poll(last).toBeDefined();
    await kit.restart();
    await kit.answer((await last())?.id ?? '', true);
    await expect
      .poll(async () => (await kit.row(id)).output)
      .toMatchObject([{ status: 'completed', output: 'ben counted to 3' }]);
  });

  it('is not read by a join of another execution of the same workflow', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.String() }).andJoin({ id: 'join', executions: ({ data }) => data }),
      draft,
    );
    const { executionId } = await kit.runtime.execute('draft', 'secret', ofAda, { until: 'ended' });
    const [{ executionId: child } = { executionId: '' }] = (await kit.row(executionId)).output as {
      executionId: string;
    }[];
    expect(await kit.row(child)).toMatchObject({ userId: 'ben', status: 'completed' });
    expect(await kit.run(child, { userId: 'ada' })).toMatchObject({ result: [{ status: 'deleted', output: null }] });
  });

  it('can be started by code', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andRun({
        id: 'code',
        run: async ({ join, start }) => join('join', await start('start', review, 'text', { userId: 'ben' })),
      }),
      review,
    );
    const id = await kit.begin(null, ofAda);
    await expect.poll(async () => (await kit.row(id)).output).toMatchObject([{ status: 'completed', output: 'text' }]);
    const [joined] = (await kit.row(id)).output as { executionId: string }[];
    expect(await kit.row(joined?.executionId ?? '')).toMatchObject({ userId: 'ben' });
  });

  it('keeps the conversation and the verified user when it is the same user', async () => {
    const kit = new WorkflowKit(draft);
    const id = await kit.begin('text', { ...ofAda, context: { reviewer: 'ada' } });
    await kit.settle();
    const [joined] = (await kit.row(id)).output as { executionId: string }[];
    expect(await kit.row(joined?.executionId ?? '')).toMatchObject({
      userId: 'ada',
      conversationId: 'c',
      user: { name: 'Ada' },
    });
  });
});

describe('the user of an execution that a step starts', () => {
  it.each(['', 'a\nb', '.', 'x'.repeat(257), 5 as never])('is refused with the definition: %j', (userId) => {
    expect(() => andStart({ id: 'start', workflow: review, userId })).toThrow(
      new ConfigurationError(
        'userId of step "start" (andStart) must have 1 to 256 characters and no control characters',
      ),
    );
  });

  it.each(['', 'a\nb', 5, null])('fails the step when code chooses it: %j', async (userId) => {
    const workflow = createWorkflow({ id: 'w' }).andStart({
      id: 'start',
      workflow: review,
      input: () => 'text',
      userId: () => userId as string,
    });
    const run = await new WorkflowKit(workflow).run();
    expect(run.error?.message).toBe(
      'Step "start" failed: userId must be a text of 1 to 256 characters without control characters',
    );
  });
});
