import { NotFoundError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { andThen } from '../steps/and-then.ts';
import { Gate } from '../testing/gate.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import type { FollowedEvent } from './follow-execution.ts';

const ada = { executionId: 'a', userId: 'ada' };

/**
 * A process that runs an execution of Ada, which was deleted, and another process that may start
 * one with the same id.
 */
function processes() {
  const gate = new Gate();
  const hold = createWorkflow({ id: 'hold' })
    .andThen({
      id: 'wait',
      execute: async (context) => {
        if (context.input === 'first') await gate.pass(context);
        return context.input;
      },
    })
    .andThen({ id: 'end', execute: ({ data }) => data });
  const kit = new WorkflowKit(hold);
  const other = new WorkflowRuntime({ workflows: [hold], storage: kit.storage, services: kit.services });
  other.startByHand();
  return { gate, kit, one: kit.runtime, other };
}

/** Follows the execution of Ada, and deletes it while it waits. */
async function followUntilDeleted({ gate, kit, one }: Pick<ReturnType<typeof processes>, 'gate' | 'kit' | 'one'>) {
  const { events } = await one.stream('hold', 'first', ada);
  const delivered: FollowedEvent[] = [];
  const following = (async () => {
    for await (const event of events) delivered.push(event);
  })();
  await gate.entered;
  await kit.storage.users.delete('ada');
  return { delivered, following };
}

it('ends a wait for a deleted execution with an error, also when its user has started another one with the id', async () => {
  const { gate, kit, one, other } = processes();
  const waiting = one.execute('hold', 'first', ada);
  await gate.entered;
  await kit.storage.users.delete('ada');
  expect(await other.execute('hold', 'second', ada)).toMatchObject({ result: 'second' });

  await one.endDeleted();
  await expect(waiting).rejects.toThrow(NotFoundError);
});

it('reports the result of an execution to those who wait for it, and to none who wait for a deleted one with its id', async () => {
  const { gate, kit, one } = processes();
  const waiting = one.execute('hold', 'first', ada);
  await gate.entered;
  await kit.storage.users.delete('ada');
  const second = one.execute('hold', 'second', { ...ada, userId: 'ben' });
  gate.open();
  expect(await second).toMatchObject({ result: 'second' });
  await expect(waiting).rejects.toThrow(NotFoundError);
});

it('ends a stream of a deleted execution with an error, and delivers no events of another one with its id', async () => {
  const { gate, kit, one } = processes();
  const { delivered, following } = await followUntilDeleted({ gate, kit, one });
  await one.endDeleted();
  expect(await one.execute('hold', 'second', { ...ada, userId: 'ben' })).toMatchObject({ result: 'second' });

  await expect(following).rejects.toThrow(NotFoundError);
  expect(delivered[0]?.event).toMatchObject({ type: 'workflow-start', input: 'first' });
  expect(JSON.stringify(delivered)).not.toContain('second');
});

it('delivers no events of another execution of the same user with the id', async () => {
  const { gate, kit, one, other } = processes();
  const { delivered, following } = await followUntilDeleted({ gate, kit, one });
  expect(await other.execute('hold', 'second', ada)).toMatchObject({ result: 'second' });
  await one.endDeleted();

  await expect(following).rejects.toThrow(NotFoundError);
  expect(JSON.stringify(delivered)).not.toContain('second');
});

it('reads no answers that were given to another execution with the id', async () => {
  const answers: unknown[] = [];
  const [first, second] = [new Gate(), new Gate()];
  const ask = andThen({
    id: 'ask',
    execute: ({ input, resumeData, suspend }) =>
      resumeData === undefined ? suspend('yes?') : answers.push([input, resumeData]),
  });
  const hold = andThen({
    id: 'hold',
    execute: (context) => (context.input === 'first' ? first : second).passOrAbort(context),
  });
  const both = createWorkflow({ id: 'both' }).andAll({ id: 'all', steps: [ask, hold] });
  const kit = new WorkflowKit(both);
  const other = new WorkflowRuntime({ workflows: [both], storage: kit.storage, services: kit.services });
  other.startByHand();
  const waiting = kit.runtime.execute('both', 'first', ada);
  await first.entered;
  await kit.settle();
  await kit.storage.users.delete('ada');
  await other.begin('both', 'second', { ...ada, userId: 'ben' });
  await second.entered;
  await kit.settle();
  const key = { owner: { user: 'ben' }, workflowId: 'both', executionId: 'a' } as const;
  await other.resume(key, { resumeData: 'of Ben' });

  await expect(waiting).rejects.toThrow(NotFoundError);
  second.open();
  expect(await other.wait(key)).toMatchObject({ status: 'completed' });
  expect(answers).toEqual([['second', 'of Ben']]);
});

it('ends no wait of the execution of another user with the id when the time of its own is over', async () => {
  const gate = new Gate();
  const ask = andThen({ id: 'ask', execute: ({ suspend }) => suspend('yes?', undefined, { expiryMs: 3_000 }) });
  const hold = andThen({
    id: 'hold',
    execute: async (context) => {
      if (context.input === 'first') await gate.passOrAbort(context);
    },
  });
  const both = createWorkflow({ id: 'both' }).andAll({ id: 'all', steps: [ask, hold] });
  const kit = new WorkflowKit(both);
  const other = new WorkflowRuntime({ workflows: [both], storage: kit.storage, services: kit.services });
  other.startByHand();
  const waiting = kit.runtime.execute('both', 'first', ada);
  await gate.entered;
  await kit.settle();
  await kit.storage.users.delete('ada');
  kit.clock.advance(2_000);
  expect(await other.execute('both', 'second', { ...ada, userId: 'ben' })).toMatchObject({ status: 'suspended' });

  kit.clock.advance(2_000);
  await kit.runtime.sweep();
  await expect(waiting).rejects.toThrow(NotFoundError);
  const execution = await kit.storage.executions.find('anyone', 'a');
  expect([execution?.suspensions.length, execution?.resumptions.length]).toEqual([1, 0]);
});
