import { ConfigurationError, ConflictError, InvalidInputError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const minute = 60_000;

const tenantOf = ({ input }: { readonly input: unknown }): string => String(input).slice(0, 1);

it('refuses a start while another execution with its singleton key has not ended', async () => {
  const workflow = createWorkflow({ id: 'sync', singleton: { key: tenantOf, onBusy: 'skip' } }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('why'),
  });
  const kit = new WorkflowKit(workflow);
  const first = await kit.begin('a1');
  const refusal = await kit.begin('a2').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConflictError);
  expect(refusal).toMatchObject({ code: 'EXECUTION_SKIPPED' });
  const other = await kit.begin('b1');
  expect((await kit.row(other)).status).toBe('suspended');

  await kit.resume(first, 'yes');
  expect((await kit.row(await kit.begin('a3'))).status).toBe('suspended');
});

it('refuses and cancels no executions of other users when the key contains the user', async () => {
  const key = ({ userId }: { readonly userId: string | undefined }): string => String(userId);
  for (const rule of [
    { singleton: { key, onBusy: 'cancel-running' } },
    { singleton: { key, onBusy: 'skip' } },
    { debounce: { key, delayMs: minute } },
  ] as const) {
    const workflow = createWorkflow({ id: 'sync', ...rule }).andThen({
      id: 'ask',
      execute: ({ suspend }) => suspend('why'),
    });
    const kit = new WorkflowKit(workflow);
    const ids = [await kit.begin(1, { userId: 'ada' }), await kit.begin(2, { userId: 'ben' })];
    await kit.advance(minute);
    for (const id of ids) expect(await kit.row(id)).toMatchObject({ status: 'suspended', request: null });
  }
});

it('counts the executions of each user by themselves when the key of a limit contains the user, also replays', async () => {
  const workflow = createWorkflow({ id: 'sync', concurrency: { limit: 1, key: ({ userId }) => String(userId) } });
  const kit = new WorkflowKit(workflow.andThen({ id: 'work', execute: () => 'done' }));
  const keys: (string | undefined)[] = [];
  const { executions } = kit.storage;
  const create = executions.create.bind(executions);
  executions.create = (execution, options) => {
    keys.push(options.concurrency?.key);
    return create(execution, options);
  };
  const id = await kit.begin(1, { userId: 'ada' });
  await kit.replay(id, { stepId: 'work' });
  expect(keys).toEqual(['sync ada', 'sync ada']);
});

it('cancels the executions that a new one with their singleton key replaces, also those of other processes', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'sync', singleton: { onBusy: 'cancel-running' } }).andThen({
    id: 'work',
    execute: async ({ data, signal, suspend }) => {
      if (data === 'works') await gate.passOrAbort({ signal });
      return data === 'last' ? 'done' : suspend('why');
    },
  });
  const kit = new WorkflowKit(workflow);
  const other = new WorkflowRuntime({ workflows: [workflow], storage: kit.storage, services: kit.services });
  other.startByHand();
  const asks = await kit.begin('asks');
  expect((await kit.row(asks)).status).toBe('suspended');
  const works = await kit.begin('works');
  await gate.entered;

  const last = await other.begin('sync', 'last', {});
  await kit.settle();
  expect(await other.wait({ owner: 'anyone', executionId: last })).toMatchObject({ status: 'completed' });
  for (const id of [asks, works]) {
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'cancelled' });
    expect(await kit.events(id)).toContainEqual(
      expect.objectContaining({ type: 'workflow-cancelled', reason: 'A newer execution replaced it' }),
    );
  }
});

it('starts no more executions within the period of a throttle than its limit', async () => {
  const started: [input: unknown, minutes: number][] = [];
  const workflow = createWorkflow({
    id: 'mail',
    throttle: { key: tenantOf, limit: 2, periodMs: 10 * minute },
  }).andThen({
    id: 'send',
    execute: ({ data }) => {
      started.push([data, (kit.clock.now() - begunAt) / minute]);
      return data;
    },
  });
  const kit: WorkflowKit = new WorkflowKit(workflow);
  const begunAt = kit.clock.now();
  const ids = [];
  for (const input of ['a1', 'a2', 'a3', 'b1', 'a4', 'a5']) ids.push(await kit.begin(input));
  for (let minutes = 0; minutes < 25; minutes += 1) await kit.advance(minute);
  expect(started).toEqual([
    ['a1', 0],
    ['a2', 0],
    ['b1', 0],
    ['a3', 10],
    ['a4', 10],
    ['a5', 20],
  ]);
  for (const id of ids) expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
});

it('runs starts that follow each other closely once, with the last input, and cancels the others', async () => {
  const ran: unknown[] = [];
  const workflow = createWorkflow({
    id: 'index',
    debounce: { key: tenantOf, delayMs: minute },
  }).andThen({ id: 'build', execute: ({ data }) => ran.push(data) });
  const kit = new WorkflowKit(workflow);
  const first = await kit.begin('a1');
  await kit.begin('b1');
  await kit.advance(minute / 2);
  const second = await kit.begin('a2');
  expect(await kit.waitUntilIdle(first)).toMatchObject({ status: 'cancelled' });
  await kit.advance(minute / 2);
  expect(ran).toEqual(['b1']);
  await kit.advance(minute / 2);
  expect(ran).toEqual(['b1', 'a2']);
  expect(await kit.waitUntilIdle(second)).toMatchObject({ status: 'completed' });
});

it('runs a debounced execution after the longest delay although starts keep following', async () => {
  const ran: unknown[] = [];
  const workflow = createWorkflow({
    id: 'index',
    debounce: { delayMs: minute, maxDelayMs: 3 * minute },
  }).andThen({ id: 'build', execute: ({ data }) => ran.push(data) });
  const kit = new WorkflowKit(workflow);
  for (let half = 0; half < 7; half += 1) {
    await kit.begin(half);
    await kit.advance(minute / 2);
  }
  expect(ran).toEqual([5]);
});

it('lets an execution continue as a new one although it is a singleton', async () => {
  const workflow = createWorkflow({ id: 'count', singleton: { onBusy: 'skip' } }).andThen({
    id: 'next',
    execute: ({ continueAsNew, data }) => (data === 3 ? 'counted' : continueAsNew(Number(data) + 1)),
  });
  const kit = new WorkflowKit(workflow);
  await kit.run(1);
  await kit.settle();
  const { executions } = await kit.storage.executions.list('anyone', { parentExecutionId: null, limit: 9, offset: 0 });
  expect(executions.map(({ input, status }) => [input, status])).toEqual([
    [3, 'completed'],
    [2, 'completed'],
    [1, 'completed'],
  ]);
});

it('starts an execution although those that it replaces cannot be cancelled', async () => {
  const workflow = createWorkflow({ id: 'sync', singleton: { onBusy: 'cancel-running' } });
  const kit = new WorkflowKit(workflow.andThen({ id: 'work', execute: () => 'done' }));
  kit.storage.executions.supersede = () => Promise.reject(new RangeError('the storage is down'));
  expect(await kit.run()).toMatchObject({ status: 'completed' });
});

it('refuses options that it does not know, values out of range, and rules that exclude each other', () => {
  const wrong: readonly Parameters<typeof createWorkflow>[0][] = [
    { id: 'w', throttle: { limit: 0, periodMs: 1 } },
    { id: 'w', throttle: { limit: 1, periodMs: 1.5 } },
    { id: 'w', debounce: { delayMs: 0 } },
    { id: 'w', debounce: { delayMs: 1, maxDelayMs: Infinity } },
    { id: 'w', singleton: { onBusy: 'wait' as 'skip' } },
    { id: 'w', debounce: { delayMs: 1 }, throttle: { limit: 1, periodMs: 1 } },
    { id: 'w', debounce: { delayMs: 1 }, singleton: { onBusy: 'skip' } },
  ];
  for (const options of wrong) expect(() => createWorkflow(options)).toThrow(ConfigurationError);
});

it('refuses a chosen delay when the workflow decides when an execution starts', async () => {
  for (const rule of [{ debounce: { delayMs: 1 } }, { throttle: { limit: 1, periodMs: 1 } }]) {
    const kit = new WorkflowKit(createWorkflow({ id: 'w', ...rule }).andThen({ id: 'work', execute: () => 1 }));
    await expect(kit.begin(1, { startAfterMs: 5 })).rejects.toThrow(InvalidInputError);
  }
});
