import { NotFoundError } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import { Gate } from '../../testing/gate.ts';
import { WorkflowKit } from '../../testing/workflow-kit.ts';
import { WorkflowRuntime } from '../workflow-runtime.ts';
import type { FollowedEvent } from './follow-execution.ts';

const ada = { executionId: 'a', userId: 'ada' };

/** A process that runs an execution of Ada, which was deleted, and another process that may start one with the same id. */
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
  const { events } = await one.stream('hold', 'first', ada);
  const delivered: FollowedEvent[] = [];
  const following = (async () => {
    for await (const event of events) delivered.push(event);
  })();
  await gate.entered;
  await kit.storage.users.delete('ada');
  await one.endDeleted();
  expect(await one.execute('hold', 'second', { ...ada, userId: 'ben' })).toMatchObject({ result: 'second' });

  await expect(following).rejects.toThrow(NotFoundError);
  expect(delivered[0]?.event).toMatchObject({ type: 'workflow-start', input: 'first' });
  expect(JSON.stringify(delivered)).not.toContain('second');
});
