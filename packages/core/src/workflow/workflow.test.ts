import { describe, expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { andThen } from './steps/and-then.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

const workflow = createWorkflow({ id: 'w' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask'),
});

describe('a workflow in a script', () => {
  it('runs, suspends, resumes and is replayed without a server', async () => {
    const { executionId, status } = await workflow.run('x');
    expect(status).toBe('suspended');
    expect(await workflow.resume(executionId, { resumeData: 'yes' })).toMatchObject({
      status: 'completed',
      result: 'yes',
    });
    expect(await workflow.replay(executionId, { stepId: 'ask' })).toMatchObject({ status: 'suspended' });
  });

  it('is followed until it is idle, and cancelled', async () => {
    const { events, executionId, result } = await workflow.stream('x');
    const types: string[] = [];
    for await (const { event } of events) types.push(event.type);
    expect(types).toEqual(['workflow-start', 'step-start', 'workflow-suspended', 'workflow-result']);
    expect(await result).toMatchObject({ status: 'suspended' });
    expect(await workflow.cancel(executionId, 'enough')).toMatchObject({ status: 'cancelled' });
  });

  it('returns its input when it has no steps', async () => {
    expect(await createWorkflow({ id: 'none' }).run('x')).toMatchObject({ status: 'completed', result: 'x' });
  });
});

describe('createWorkflow', () => {
  it('refuses invalid and duplicate ids at any depth', () => {
    const step = andThen({ id: 'same', execute: () => 1 });
    expect(() => createWorkflow({ id: 'a/b' })).toThrow('must match');
    expect(() => andThen({ id: 'a:1', execute: () => 1 })).toThrow('must match');
    expect(() => workflow.andAll({ id: 'all', steps: [step, step] })).toThrow('two steps with the id "same"');
    expect(() => workflow.andWhen({ id: 'ask', condition: () => true, step })).toThrow('two steps with the id "ask"');
    expect(() => workflow.andAll({ id: 'all', steps: [] })).toThrow('at least one step');
  });

  it('returns a new workflow for each step, and does not change the previous one', () => {
    const longer = workflow.andThen({ id: 'more', execute: () => 1 });
    expect([workflow.steps.length, longer.steps.length]).toEqual([1, 2]);
  });
});

it('stores 200 000 events of one turn, and then waits', async () => {
  const count = 200_000;
  const kit = new WorkflowKit(
    createWorkflow({ id: 'w' }).andThen({
      id: 'count',
      execute: ({ resumeData, suspend, writer }) => {
        if (resumeData !== undefined) return 'done';
        for (let number = 0; number < count; number += 1) writer.write({ type: 'custom-number', number });
        return suspend('enough');
      },
    }),
  );
  const id = await kit.begin();

  expect(await kit.row(id)).toMatchObject({ status: 'suspended' });
  const last = await kit.storage.executions.events('anyone', id, { after: count, limit: 9 });
  expect(last.map(({ event }) => event.type)).toContain('custom-number');
});
