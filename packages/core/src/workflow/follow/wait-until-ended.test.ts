import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';

const ask = createWorkflow({ id: 'ask' }).andThen({
  id: 'question',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('which one?'),
});

describe('a wait until the end', () => {
  it('lasts while the execution is suspended', async () => {
    const kit = new WorkflowKit(ask);
    const first = kit.runtime.execute('ask', null, { executionId: 'a' }, { until: 'ended' });
    await kit.settle();
    const second = kit.runtime.wait({ owner: 'anyone', executionId: 'a' }, { until: 'ended' });
    expect(await kit.waitUntilIdle('a')).toMatchObject({ status: 'suspended' });
    await kit.answer('a', 'this one');
    expect(await Promise.all([first, second])).toMatchObject([{ result: 'this one' }, { result: 'this one' }]);
  });

  it('lasts while another process runs the execution', async () => {
    const kit = new WorkflowKit(ask);
    const id = await kit.begin();
    const other = new WorkflowRuntime({ workflows: [ask], storage: kit.storage, services: kit.services });
    const waiting = other.wait({ owner: 'anyone', executionId: id }, { until: 'ended' });
    await kit.answer(id, 'this one');
    expect(await waiting).toMatchObject({ status: 'completed', result: 'this one' });
  });

  it('ends with its time limit or signal, and reports the state at that moment', async () => {
    const kit = new WorkflowKit(ask);
    const key = { owner: 'anyone', executionId: await kit.begin() } as const;
    expect(await kit.runtime.wait(key, { until: 'ended', timeoutMs: 1 })).toMatchObject({ status: 'suspended' });
    const signal = AbortSignal.abort();
    expect(await kit.runtime.wait(key, { until: 'ended', signal })).toMatchObject({ status: 'suspended' });
  });

  it('lasts until the last execution that continues the first one has ended', async () => {
    const count = createWorkflow({ id: 'count', input: Type.Number() }).andThen({
      id: 'next',
      execute: ({ data, continueAsNew }) => (data < 20 ? continueAsNew(data + 1) : `counted to ${data}`),
    });
    const kit = new WorkflowKit(count);
    const { executionId, result } = await kit.runtime.execute('count', 1, {}, { until: 'ended' });
    expect(result).toBe('counted to 20');
    expect(await kit.row(executionId)).toMatchObject({ input: 20 });
  });

  it('is an option of every call that waits', async () => {
    const { executionId } = await ask.run(null);
    const waiting = ask.wait(executionId, { until: 'ended' });
    await ask.resume(executionId, { resumeData: 'this one', until: 'ended' });
    expect(await waiting).toMatchObject({ result: 'this one' });
    expect(await ask.wait(executionId)).toMatchObject({ status: 'completed' });
  });
});
