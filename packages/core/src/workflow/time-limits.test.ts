import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { andSleep } from './steps/and-sleep.ts';
import { andThen } from './steps/and-then.ts';
import { Gate } from './testing/gate.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

describe('the time limit of a step', () => {
  it('ends an attempt even if the body ignores its signal, and ignores later effects of that body', async () => {
    const gate = new Gate();
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({
          id: 'slow',
          timeoutMs: 1,
          execute: async (context) => {
            await gate.pass(context);
            context.setWorkflowState({ late: true });
            context.writer.write({ type: 'custom-late' });
            return context.suspend('late');
          },
        })
        .andThen({ id: 'after', execute: () => 1 }),
    );
    const id = await kit.begin();
    vi.advanceTimersByTime(1);
    const { error } = await kit.waitUntilIdle(id);
    expect(error).toEqual({
      stepId: 'slow',
      code: 'STEP_FAILED',
      message: 'Step "slow" failed: Step "slow" took longer than 1 ms',
    });
    expect(gate.signals[0]?.aborted).toBe(true);
    const history = await kit.history(id);
    gate.open();
    await kit.settle();
    expect(await kit.history(id)).toEqual(history);
    expect(await kit.row(id)).toMatchObject({ workflowState: {}, suspensions: [] });
  });

  it('applies to each attempt', async () => {
    const gate = new Gate();
    let tries = 0;
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', retries: { attempts: 2, delayMs: 0 } }).andThen({
        id: 'slow',
        timeoutMs: 5,
        execute: async (context) => {
          tries += 1;
          if (tries === 1) await gate.pass(context);
          return context.retryCount;
        },
      }),
    );
    const id = await kit.begin();
    vi.advanceTimersByTime(5);
    // The next attempt starts without a wait.
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 1 });
    const events = await kit.events(id);
    expect(events.find(({ type }) => type === 'step-retry')).toMatchObject({
      attempt: 1,
      error: expect.stringContaining('took longer') as string,
    });
  });
});

describe('the time limit of a workflow', () => {
  it('fails the execution, even if a body ignores its signal', async () => {
    const gate = new Gate();
    const slow = andThen({ id: 'slow', execute: (context) => gate.pass(context) });
    const ask = andThen({ id: 'ask', execute: ({ suspend }) => suspend('ask') });
    const kit = new WorkflowKit(createWorkflow({ id: 'w', timeoutMs: 5 }).andAll({ id: 'all', steps: [slow, ask] }));
    const id = await kit.begin();
    vi.advanceTimersByTime(5);
    const { error } = await kit.waitUntilIdle(id);
    expect(error).toEqual({ code: 'TIME_LIMIT_EXCEEDED', message: 'Workflow "w" took longer than 5 ms' });
    expect(gate.signals[0]?.aborted).toBe(true);
    expect((await kit.history(id)).slice(-2)).toEqual(['workflow-error w', 'workflow-result w']);
  });

  it('does not run while the execution is suspended or sleeps', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', timeoutMs: 5 })
        .andAll({ id: 'all', steps: [andSleep({ id: 'nap', durationMs: 60_000 })] })
        .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') }),
    );
    const id = await kit.begin();
    vi.advanceTimersByTime(60_000);
    await kit.advance(60_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'suspended' });
    vi.advanceTimersByTime(60_000);
    kit.clock.advance(60_000);
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed', result: 'done' });
  });

  it('applies to a sub-workflow too, and fails its step', async () => {
    const gate = new Gate();
    const child = createWorkflow({ id: 'child', timeoutMs: 5 }).andThen({
      id: 'slow',
      execute: (context) => gate.pass(context),
    });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andWorkflow({ id: 'sub', workflow: child })
        .andThen({ id: 'after', execute: () => 1 }),
      child,
    );
    const id = await kit.begin();
    vi.advanceTimersByTime(5);
    const { error } = await kit.waitUntilIdle(id);
    expect(error).toEqual({
      stepId: 'sub',
      code: 'STEP_FAILED',
      message: 'Step "sub" failed: Workflow "child" took longer than 5 ms',
    });
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(await kit.children(id)).toMatchObject([{ status: 'error', error: { code: 'TIME_LIMIT_EXCEEDED' } }]);
  });
});
