import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import type { StepContext } from './definition/step-context.ts';
import { andThen } from './steps/and-then.ts';
import { andWhen } from './steps/and-when.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

/** Bodies that record their calls, by id and loop item. */
function recorder(): {
  readonly log: string[];
  readonly keys: Map<string, string[]>;
  readonly body: (
    id: string,
    give?: (context: StepContext<unknown>) => unknown,
  ) => {
    readonly id: string;
    readonly execute: (context: StepContext<unknown>) => unknown;
  };
} {
  const log: string[] = [];
  const keys = new Map<string, string[]>();
  return {
    log,
    keys,
    body: (id, give = ({ data }) => data) => ({
      id,
      execute: (context) => {
        log.push(id);
        keys.set(id, [...(keys.get(id) ?? []), context.idempotencyKey]);
        return give(context);
      },
    }),
  };
}

const asks = ({ resumeData, suspend }: StepContext<unknown>): unknown => resumeData ?? suspend('ask');

describe('resuming from an earlier step', () => {
  it('runs it and all later steps again, with the answer and the same idempotency keys', async () => {
    const { body, keys, log } = recorder();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen(body('a', () => 'A'))
        .andThen(body('b', ({ data, resumeData }) => [data, resumeData ?? 'none']))
        .andThen(body('c'))
        .andThen(body('ask', asks)),
    );
    const { executionId: id } = await kit.run();
    log.length = 0;
    expect(await kit.resume(id, 'again', 'b')).toMatchObject({ status: 'suspended', suspension: { stepId: 'ask' } });
    expect(log).toEqual(['b', 'c', 'ask']);
    expect((await kit.journal(id)).map(({ output, path }) => [path, output])).toEqual([
      ['a', 'A'],
      ['b', ['A', 'again']],
      ['c', ['A', 'again']],
    ]);
    await kit.restart();
    await kit.resume(id, undefined, 'b');
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed', result: 'done' });
    expect(keys.get('a')).toEqual([`${id}/a`]);
    expect(keys.get('b')).toEqual([`${id}/b`, `${id}/b`, `${id}/b`]);
    expect(new Set(keys.get('ask'))).toEqual(new Set([`${id}/ask`]));
    const events = await kit.history(id);
    expect(events.filter((line) => line === 'step-start b')).toHaveLength(3);
    expect(events.filter((line) => line === 'step-start a')).toHaveLength(1);
  });

  it('keeps parallel steps, including those that wait', async () => {
    const { body, log } = recorder();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [andThen(body('a')), andThen(body('ask', asks)), andThen(body('b'))],
      }),
    );
    const { executionId: id } = await kit.run('x');
    expect(await kit.resume(id, undefined, 'a')).toMatchObject({
      status: 'suspended',
      suspensions: [{ stepId: 'ask' }],
    });
    expect(log).toEqual(['a', 'ask', 'b', 'a']);
    expect(await kit.resume(id, 'done')).toMatchObject({ result: ['x', 'done', 'x'] });
  });

  it('ends the waits of later iterations of a loop', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andDoUntil({
        id: 'loop',
        step: andThen({
          id: 'turn',
          execute: ({ data, resumeData, suspend }) => resumeData ?? suspend('Round', { data }, { expiryMs: 60_000 }),
        }),
        condition: ({ data }) => data === 'done',
      }),
    );
    const { executionId: id } = await kit.run('start');
    await kit.resume(id, 'harmless');
    const [later] = (await kit.row(id)).suspensions;
    expect(later).toMatchObject({ stepId: 'turn:1', data: { data: 'harmless' } });
    await kit.runtime.resume(await kit.key(id), { stepId: 'turn:0' });
    await kit.settle();
    const { suspensions, timers } = await kit.row(id);
    expect(suspensions).toMatchObject([{ stepId: 'turn:0', data: { data: 'start' } }]);
    expect(timers).toMatchObject([{ path: 'loop:0/turn#timeout' }]);
    await kit.resume(id, 'other');
    expect((await kit.row(id)).suspensions).toMatchObject([{ stepId: 'turn:1', data: { data: 'other' } }]);
  });

  it('rewinds to an iteration of a loop, and deletes later iterations', async () => {
    const { body, log } = recorder();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andDoUntil({
          id: 'loop',
          condition: ({ data }) => Number(data) >= 3,
          step: andThen(body('add', ({ data, resumeData }) => Number(resumeData ?? Number(data) + 1))),
        })
        .andThen(body('ask', asks)),
    );
    const { executionId: id } = await kit.run(0);
    expect(log).toEqual(['add', 'add', 'add', 'ask']);
    await kit.resume(id, 0, 'add:1');
    expect((await kit.journal(id)).map(({ output, path }) => [path, output])).toEqual([
      ['loop:0/add', 1],
      ['loop#condition-0', false],
      ['loop:1/add', 0],
      ['loop#condition-1', false],
      ['loop:2/add', 1],
      ['loop#condition-2', false],
      ['loop:3/add', 2],
      ['loop#condition-3', false],
      ['loop:4/add', 3],
      ['loop#condition-4', true],
      ['loop', 3],
    ]);
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed' });
  });

  it('rewinds to one item of `andForEach`, and keeps the other items', async () => {
    const { body, log } = recorder();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andForEach({
          id: 'each',
          items: () => ['x', 'y', 'z'],
          step: andThen(body('item', ({ data, resumeData }) => [data, resumeData ?? null])),
        })
        .andThen(body('ask', asks)),
    );
    const { executionId: id } = await kit.run();
    await kit.resume(id, 'again', 'item:1');
    expect(log).toEqual(['item', 'item', 'item', 'ask', 'item', 'ask']);
    expect((await kit.journal(id)).at(-1)).toMatchObject({
      output: [
        ['x', null],
        ['y', 'again'],
        ['z', null],
      ],
    });
    await expect(kit.resume(id, 'again', 'item')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(kit.resume(id, 'again', 'item:7')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('keeps the decision of the step that contains it', async () => {
    const { body, log } = recorder();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andAll({
          id: 'all',
          steps: [andWhen({ id: 'when', condition: () => log.push('asked') > 0, step: andThen(body('inner')) })],
        })
        .andThen(body('ask', asks)),
    );
    const { executionId: id } = await kit.run();
    await kit.resume(id, null, 'inner');
    expect(log).toEqual(['asked', 'inner', 'ask', 'inner', 'ask']);
    await kit.resume(id, null, 'when');
    expect(log.slice(5)).toEqual(['asked', 'inner', 'ask']);
  });

  it('runs a race again without its winner, and keeps the winner when another step is rewound', async () => {
    const { body, log } = recorder();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andRace({
          id: 'race',
          steps: [
            andThen(
              body('fails', () => {
                throw new TypeError('no');
              }),
            ),
            andThen(body('wins', ({ resumeData }) => resumeData ?? 'won')),
          ],
        })
        .andThen(body('ask', asks)),
    );
    const { executionId: id } = await kit.run();
    await kit.resume(id, 'again', 'wins');
    expect(log).toEqual(['fails', 'wins', 'ask', 'wins', 'ask']);
    expect((await kit.journal(id)).at(-1)).toMatchObject({ path: 'race', output: 'again' });
    await kit.resume(id, 'again', 'fails');
    expect(log.slice(5)).toEqual(['ask']);
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed' });
  });

  it('rewinds a sub-workflow by its own id, and creates a new one when the root is rewound', async () => {
    const { body, log } = recorder();
    const child = createWorkflow({ id: 'child' }).andThen(body('a')).andThen(body('b')).andThen(body('ask', asks));
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen(body('before'))
        .andWorkflow({ id: 'sub', workflow: child })
        .andThen(body('after')),
      child,
    );
    const { executionId: id } = await kit.run('x');
    const [first] = await kit.children(id);
    await kit.answer(first?.id ?? '', null, 'b');
    expect(log).toEqual(['before', 'a', 'b', 'ask', 'b', 'ask']);
    expect(await kit.children(id)).toMatchObject([{ id: first?.id, status: 'suspended' }]);
    const history = await kit.history(first?.id ?? '');
    expect(history.filter((line) => line === 'step-start b')).toHaveLength(2);
    expect(history.filter((line) => line === 'step-start a')).toHaveLength(1);

    log.length = 0;
    await kit.answer(id, null, 'before');
    expect(log).toEqual(['before', 'a', 'b', 'ask']);
    const children = await kit.children(id);
    expect(children.map(({ status }) => status)).toEqual(['cancelled', 'suspended']);
    await expect(kit.resume(first?.id ?? '', 'late')).rejects.toMatchObject({ code: 'EXECUTION_NOT_SUSPENDED' });
    expect(await kit.resume(children[1]?.id ?? '', 'done')).toMatchObject({ status: 'completed', result: 'done' });
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'done' });
  });

  it('stops what still runs and continues at once in the same process', async () => {
    const gate = new Gate();
    const { body, log } = recorder();
    const slow = body('slow', async (context) => {
      if (gate.signals.length === 0) await gate.pass(context);
      return 'slow';
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen(body('a'))
        .andAll({ id: 'all', steps: [andThen(body('ask', asks)), andThen(slow)] }),
    );
    const id = await kit.begin('x');
    await kit.answer(id, undefined, 'a');
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(log).toEqual(['a', 'ask', 'slow', 'a', 'ask', 'slow']);
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended' });
    expect(await kit.resume(id, 'done')).toMatchObject({ result: ['done', 'slow'] });
  });

  it('refuses a step that the execution has not reached, or that does not exist', async () => {
    const { body } = recorder();
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andThen(body('ask', asks)).andThen(body('after')));
    const { executionId: id } = await kit.run();
    for (const stepId of ['after', 'none', 'ask:1', ''])
      await expect(kit.resume(id, 'x', stepId)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed' });
    await expect(kit.resume(id, 'x', 'ask')).rejects.toMatchObject({ code: 'EXECUTION_NOT_SUSPENDED' });
  });
});

describe('replay', () => {
  const { body, log } = recorder();
  const workflow = createWorkflow({ id: 'w' })
    .andThen(body('a', ({ data }) => `${String(data)}a`))
    .andAll({
      id: 'all',
      steps: [
        andThen(body('b', ({ data }) => `${String(data)}b`)),
        andThen(body('c', ({ data }) => `${String(data)}c`)),
      ],
    })
    .andThen(body('d', ({ data, resumeData }) => ({ data, resumeData })));

  it('creates an execution that starts at a step, with the records of earlier steps', async () => {
    const kit = new WorkflowKit(workflow);
    const { executionId: id } = await kit.run('x', { context: { on: true }, metadata: { order: 7 } });
    log.length = 0;
    const replayed = await kit.replay(id, { stepId: 'd', resumeData: 'again' });
    expect(replayed).toMatchObject({ status: 'completed', result: { data: ['xab', 'xac'], resumeData: 'again' } });
    expect(replayed.executionId).not.toBe(id);
    expect(log).toEqual(['d']);
    expect(await kit.row(replayed.executionId)).toMatchObject({
      input: 'x',
      context: { on: true },
      metadata: { order: 7, replayedFrom: id },
    });
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: { data: ['xab', 'xac'] } });
    expect((await kit.history(replayed.executionId))[0]).toBe('workflow-start w');
  });

  it('keeps the steps parallel to it', async () => {
    const kit = new WorkflowKit(workflow);
    const { executionId: id } = await kit.run('x');
    log.length = 0;
    expect(await kit.replay(id, { stepId: 'c' })).toMatchObject({ result: { data: ['xab', 'xac'] } });
    expect(log).toEqual(['c', 'd']);
  });

  it('can replace the data of the step; at the first step, the input', async () => {
    const kit = new WorkflowKit(workflow);
    const { executionId: id } = await kit.run('x');
    expect(await kit.replay(id, { stepId: 'd', inputData: 'y' })).toMatchObject({ result: { data: 'y' } });
    log.length = 0;
    const first = await kit.replay(id, { stepId: 'a', inputData: 'y' });
    expect(first).toMatchObject({ result: { data: ['yab', 'yac'] } });
    expect(log).toEqual(['a', 'b', 'c', 'd']);
    expect(await kit.row(first.executionId)).toMatchObject({ input: 'y' });
    const all = await kit.replay(id, { stepId: 'all', inputData: 'z' });
    expect(all).toMatchObject({ result: { data: ['zb', 'zc'] } });
  });

  it('checks replaced data like the original, so that no step gets data that it could not get otherwise', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', input: Type.Object({ euros: Type.Integer({ maximum: 10 }) }) })
        .andThen({
          id: 'a',
          execute: ({ data }) => data,
          output: Type.Object({ euros: Type.Integer({ maximum: 10 }) }),
        })
        .andThen(body('b')),
    );
    const { executionId: id } = await kit.run({ euros: 1 });
    log.length = 0;
    for (const stepId of ['a', 'b'])
      await expect(kit.replay(id, { stepId, inputData: { euros: 11 } })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: 'inputData/euros must be <= 10',
      });
    expect(log).toEqual([]);
    for (const stepId of ['a', 'b'])
      expect(await kit.replay(id, { stepId, inputData: { euros: 2 } })).toMatchObject({ result: { euros: 2 } });
  });

  it('repeats an execution that failed, waits or is a sub-workflow', async () => {
    let isBroken = true;
    const child = createWorkflow({ id: 'child' })
      .andThen(body('one', () => 1))
      .andThen(
        body('two', ({ data, resumeData, suspend }) => {
          if (isBroken) throw new TypeError('broken');
          return resumeData ?? suspend('ask', { data });
        }),
      );
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andWorkflow({ id: 'sub', workflow: child }), child);
    const { executionId: id, status } = await kit.run();
    expect(status).toBe('error');
    isBroken = false;
    const waiting = await kit.replay(id, { stepId: 'sub' });
    expect(waiting).toMatchObject({ status: 'suspended', suspension: { suspendData: { data: 1 } } });
    const [failed] = await kit.children(id);
    log.length = 0;
    expect(await kit.replay(failed?.id ?? '', { stepId: 'two', resumeData: 2 })).toMatchObject({
      status: 'completed',
      result: 2,
    });
    expect(log).toEqual(['two']);
    expect(await kit.replay(waiting.executionId, { stepId: 'sub' })).toMatchObject({ status: 'suspended' });
  });

  it('starts at an iteration of a loop, or an item of `andForEach`', async () => {
    const loops = createWorkflow({ id: 'w' })
      .andDoUntil({
        id: 'loop',
        condition: ({ data }) => Number(data) >= 3,
        step: andThen(body('add', ({ data, resumeData }) => Number(data) + Number(resumeData ?? 1))),
      })
      .andForEach({
        id: 'each',
        items: ({ data }) => [data, 'x'],
        step: andThen(body('item', ({ data, resumeData }) => [data, resumeData ?? null])),
      });
    const kit = new WorkflowKit(loops);
    const { executionId: id, result } = await kit.run(0);
    expect(result).toEqual([
      [3, null],
      ['x', null],
    ]);
    log.length = 0;
    expect(await kit.replay(id, { stepId: 'add:1', resumeData: 5 })).toMatchObject({
      result: [
        [6, null],
        ['x', null],
      ],
    });
    expect(log).toEqual(['add', 'item', 'item']);
    log.length = 0;
    expect(await kit.replay(id, { stepId: 'item:1', resumeData: 5 })).toMatchObject({
      result: [
        [3, null],
        ['x', 5],
      ],
    });
    expect(log).toEqual(['item']);
  });

  it('repeats an execution that bailed, and may run to its last step', async () => {
    const stopping = createWorkflow({ id: 'w' })
      .andThen(body('a'))
      .andThen(body('stop', ({ bail, data, resumeData }) => (resumeData === undefined ? bail('early') : data)))
      .andThen(body('late', () => 'late'));
    const kit = new WorkflowKit(stopping);
    const { executionId: id, result } = await kit.run('x');
    expect(result).toBe('early');
    expect(await kit.replay(id, { stepId: 'stop', resumeData: true })).toMatchObject({ result: 'late' });
    expect(await kit.replay(id, { stepId: 'stop' })).toMatchObject({ status: 'completed', result: 'early' });
  });

  it('refuses a step that the execution has not reached, or that does not exist', async () => {
    const kit = new WorkflowKit(workflow);
    const { executionId: id } = await kit.run('x');
    for (const stepId of ['none', 'b:1'])
      await expect(kit.replay(id, { stepId })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

describe('the workflow state', () => {
  const count = ({ setWorkflowState }: Pick<StepContext<unknown>, 'setWorkflowState'>): void =>
    setWorkflowState((state) => ({ count: ('count' in state ? Number(state.count) : 0) + 1 }));
  const sub = createWorkflow({ id: 'sub' })
    .andThen({ id: 'inside', execute: count })
    .andThen({ id: 'asks', execute: asks })
    .andThen({ id: 'late', execute: ({ setWorkflowState }) => setWorkflowState({ late: true }) })
    .andThen({ id: 'asksAgain', execute: asks });
  const workflow = createWorkflow({ id: 'w' })
    .andThen({ id: 'first', execute: count })
    .andThen({
      id: 'second',
      execute: (context) => {
        count(context);
        context.setWorkflowState({ second: context.resumeData ?? true });
      },
    })
    .andThen({ id: 'third', execute: count })
    .andWorkflow({ id: 'child', workflow: sub });
  const options = { workflowState: { count: 10 } };

  it('has the value from before the step after a rewind', async () => {
    const kit = new WorkflowKit(workflow, sub);
    const { executionId: id } = await kit.run(null, options);
    expect((await kit.row(id)).workflowState).toEqual({ count: 13, second: true });

    await kit.resume(id, 'again', 'second');

    expect((await kit.row(id)).workflowState).toEqual({ count: 13, second: 'again' });
  });

  it('is rewound in a sub-workflow alone', async () => {
    const kit = new WorkflowKit(workflow, sub);
    const { executionId: id } = await kit.run(null, options);
    const [child] = await kit.children(id);
    await kit.resume(child?.id ?? '', 'go');
    expect(await kit.children(id)).toMatchObject([{ workflowState: { count: 1, late: true } }]);

    await kit.resume(child?.id ?? '', null, 'asks');

    expect((await kit.row(child?.id ?? '')).workflowState).toEqual({ count: 1 });
    expect((await kit.row(id)).workflowState).toEqual({ count: 13, second: true });
  });

  it('is that before the step in a replay, and in a replay or a rewind of that', async () => {
    const kit = new WorkflowKit(workflow, sub);
    const { executionId: id } = await kit.run(null, options);

    const copy = await kit.replay(id, { stepId: 'second', resumeData: 'copy' });
    expect((await kit.row(copy.executionId)).workflowState).toEqual({ count: 13, second: 'copy' });
    const third = await kit.replay(copy.executionId, { stepId: 'first' });
    expect((await kit.row(third.executionId)).workflowState).toEqual({ count: 13, second: true });
    await kit.resume(copy.executionId, null, 'first');
    expect((await kit.row(copy.executionId)).workflowState).toEqual({ count: 13, second: true });
  });

  it('has each patch once after a suspension, a retry and a restart', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({
          id: 'asks',
          execute: (context) => {
            count(context);
            return asks(context);
          },
        })
        .andThen({ id: 'end', execute: ({ suspend, resumeData }) => resumeData ?? suspend('end') }),
    );
    const { executionId: id } = await kit.run();
    await kit.restart();
    await kit.resume(id, 1);
    expect((await kit.row(id)).workflowState).toEqual({ count: 2 });
    await kit.resume(id, 1, 'asks');
    expect((await kit.row(id)).workflowState).toEqual({ count: 1 });
  });
});
