import { ConfigurationError, InvalidInputError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';
import { andWorkflow } from './steps/and-workflow.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

interface Import {
  readonly tenant: string;
  readonly name: string;
}

/** A workflow with one place for each tenant. Each execution waits at the gate with its name. */
function importWorkflow(gates: Readonly<Record<string, Gate>>, running: string[] = [], limit = 1) {
  return createWorkflow({
    id: 'import',
    concurrency: { limit, key: ({ input }) => (input as Import).tenant },
  }).andThen({
    id: 'read',
    execute: async ({ data, signal }) => {
      const { name } = data as Import;
      running.push(name);
      await gates[name]?.pass({ signal });
      return name;
    },
  });
}

it('runs at most as many executions of a key as its limit, and the next one as soon as one ends', async () => {
  const gates = { a1: new Gate(), a2: new Gate(), a3: new Gate(), b1: new Gate() };
  const running: string[] = [];
  const kit = new WorkflowKit(importWorkflow(gates, running));
  const [, second, third] = [
    await kit.begin({ tenant: 'a', name: 'a1' }),
    await kit.begin({ tenant: 'a', name: 'a2' }),
    await kit.begin({ tenant: 'a', name: 'a3' }),
    await kit.begin({ tenant: 'b', name: 'b1' }),
  ];
  expect(running).toEqual(['a1', 'b1']);
  expect(await kit.row(second)).toMatchObject({
    status: 'running',
    epoch: 0,
    concurrency: { key: 'import a', limit: 1 },
    waitingSince: kit.clock.now(),
  });

  gates.a1.open();
  await kit.settle();
  expect(running).toEqual(['a1', 'b1', 'a2']);
  gates.a2.open();
  gates.a3.open();
  expect(await kit.waitUntilIdle(third)).toMatchObject({ status: 'completed', result: 'a3' });
});

it('shares one limit between all executions of a workflow without a key', async () => {
  const gate = new Gate();
  let running = 0;
  const workflow = createWorkflow({ id: 'sync', concurrency: { limit: 2 } }).andThen({
    id: 'work',
    execute: async (context) => {
      running += 1;
      await gate.pass(context);
    },
  });
  const kit = new WorkflowKit(workflow);
  const ids = [await kit.begin(1), await kit.begin(2), await kit.begin(3)];
  expect(running).toBe(2);
  gate.open();
  for (const id of ids) expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
});

it('starts the waiting execution with the highest priority first', async () => {
  const gates = { first: new Gate() };
  const running: string[] = [];
  const kit = new WorkflowKit(importWorkflow(gates, running));
  await kit.begin({ tenant: 'a', name: 'first' });
  await kit.begin({ tenant: 'a', name: 'low' }, { priority: -1 });
  await kit.begin({ tenant: 'a', name: 'urgent' }, { priority: 5 });
  gates.first.open();
  await kit.settle();
  expect(running).toEqual(['first', 'urgent', 'low']);
});

it('gives the place of an execution that is suspended or sleeps to another one, and lets it wait when it continues', async () => {
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'order', concurrency: { limit: 1 } })
    .andThen({
      id: 'ask',
      execute: ({ data, resumeData, suspend }) => (data === 'asks' ? (resumeData ?? suspend('why')) : data),
    })
    .andSleep({ id: 'nap', durationMs: ({ data }) => (data === 'naps' ? 5_000 : 0) })
    .andThen({
      id: 'work',
      execute: async (context) => {
        if (context.data === 'works') await gate.pass(context);
        return context.data;
      },
    });
  const kit = new WorkflowKit(workflow);
  const asks = await kit.begin('asks');
  const naps = await kit.begin('naps');
  const works = await kit.begin('works');
  await gate.entered;

  await kit.answer(asks, 'yes');
  await kit.advance(5_000);
  expect((await kit.row(asks)).waitingSince).toBe(kit.clock.now() - 5_000);
  expect((await kit.row(naps)).waitingSince).toBe(kit.clock.now());
  gate.open();
  for (const id of [works, asks, naps]) expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
});

it('cancels an execution that waits, without a place', async () => {
  const gates = { first: new Gate() };
  const running: string[] = [];
  const kit = new WorkflowKit(importWorkflow(gates, running));
  await kit.begin({ tenant: 'a', name: 'first' });
  const waiting = await kit.begin({ tenant: 'a', name: 'second' });
  expect(await kit.cancel(waiting)).toMatchObject({ status: 'cancelled', waitingSince: null });
  gates.first.open();
  await kit.settle();
  expect(running).toEqual(['first']);
});

it('limits executions in all processes together, and runs the next one of any process', async () => {
  const gates = { a1: new Gate(), a2: new Gate() };
  const running: string[] = [];
  const workflow = importWorkflow(gates, running);
  const kit = new WorkflowKit(workflow);
  const other = new WorkflowRuntime({ workflows: [workflow], storage: kit.storage, services: kit.services });
  other.startByHand();
  await kit.begin({ tenant: 'a', name: 'a1' });
  const second = await other.begin('import', { tenant: 'a', name: 'a2' }, {});
  await kit.settle();
  expect(running).toEqual(['a1']);
  gates.a1.open();
  await kit.settle();
  expect(running).toEqual(['a1', 'a2']);
  gates.a2.open();
  expect(await other.wait({ owner: 'anyone', executionId: second })).toMatchObject({ status: 'completed' });
});

it('frees the place of a process that died when its lease ends', async () => {
  const gates = { a1: new Gate() };
  const running: string[] = [];
  const kit = new WorkflowKit(importWorkflow(gates, running));
  const died = await kit.begin({ tenant: 'a', name: 'a1' });
  const waiting = await kit.begin({ tenant: 'a', name: 'a2' });
  await kit.restart(importWorkflow({}, running));
  await kit.advance(1);
  for (const id of [died, waiting]) expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
  expect(running.toSorted()).toEqual(['a1', 'a1', 'a2']);
});

it('starts a waiting execution with a sweep when the process that freed the place could not ask for it', async () => {
  const gates = { a1: new Gate() };
  const running: string[] = [];
  const kit = new WorkflowKit(importWorkflow(gates, running));
  await kit.begin({ tenant: 'a', name: 'a1' });
  await kit.begin({ tenant: 'a', name: 'a2' });
  const { executions } = kit.storage;
  const claimNext = executions.claimNext.bind(executions);
  executions.claimNext = () => Promise.reject(new RangeError('the storage is down'));
  gates.a1.open();
  await kit.settle();
  executions.claimNext = claimNext;
  expect(running).toEqual(['a1']);
  await kit.advance(1);
  expect(running).toEqual(['a1', 'a2']);
});

it('computes the key once, from the accepted input and the context', async () => {
  const starts: unknown[] = [];
  const workflow = createWorkflow({
    id: 'ask',
    concurrency: {
      limit: 1,
      key: (start) => {
        starts.push(start);
        return 'a';
      },
    },
  }).andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('why') });
  const kit = new WorkflowKit(workflow);
  const id = await kit.begin({ a: 1 }, { context: { tenant: 't' } });
  await kit.resume(id, true);
  expect(starts).toEqual([{ input: { a: 1 }, context: { tenant: 't' } }]);
  expect(await kit.replay(id, { stepId: 'ask', resumeData: 1 })).toMatchObject({ status: 'completed' });
  expect(starts.length).toBe(2);
});

it('does not count sub-workflows', async () => {
  const inner = createWorkflow({ id: 'inner', concurrency: { limit: 1 } }).andThen({
    id: 'work',
    execute: () => 'done',
  });
  const outer = createWorkflow({ id: 'outer', concurrency: { limit: 1 } }).andAll({
    id: 'both',
    steps: [andWorkflow({ id: 'one', workflow: inner }), andWorkflow({ id: 'two', workflow: inner })],
  });
  const kit = new WorkflowKit(outer);
  const { executionId } = await kit.run();
  const children = await kit.children(executionId);
  expect(children.map(({ concurrency, status }) => [concurrency, status])).toEqual([
    [null, 'completed'],
    [null, 'completed'],
  ]);
});

it('refuses limits that are not whole numbers from 1 on', () => {
  for (const limit of [0, 1.5, -1, Infinity, 10_001])
    expect(() => createWorkflow({ id: 'w', concurrency: { limit } })).toThrow(ConfigurationError);
});

it('starts nothing when the key cannot be computed, or is too long', async () => {
  const keyed = (key: () => unknown) =>
    new WorkflowKit(createWorkflow({ id: 'w', concurrency: { limit: 1, key: key as () => string } }));
  const failing = keyed(() => {
    throw new RangeError('no tenant');
  });
  const failed = { kind: 'failed', code: 'START_KEY_FAILED' };
  await expect(failing.begin()).rejects.toMatchObject({ ...failed, cause: { message: 'no tenant' } });
  for (const [key, type] of [
    [7, 'number'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Promise.resolve('a'), 'object'],
  ] as const)
    await expect(keyed(() => key).begin()).rejects.toMatchObject({
      ...failed,
      message: `The concurrency key of workflow "w" must be a string, not ${type}`,
    });
  await expect(keyed(() => 'k'.repeat(257)).begin()).rejects.toThrow(InvalidInputError);
  const refusing = keyed(() => {
    throw new InvalidInputError('input/tenant is required');
  });
  await expect(refusing.begin()).rejects.toThrow(new InvalidInputError('input/tenant is required'));
  expect(
    (await refusing.storage.executions.list('anyone', { limit: 1, offset: 0, parentExecutionId: null })).total,
  ).toBe(0);
});
