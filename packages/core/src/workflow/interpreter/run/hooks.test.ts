import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Logger, silentLogger } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../../create-workflow.ts';
import type { StepContext } from '../../definition/step-context.ts';
import type { WorkflowHooks } from '../../definition/workflow-hooks.ts';
import { andRace } from '../../steps/and-race.ts';
import { andThen } from '../../steps/and-then.ts';
import { andWorkflow } from '../../steps/and-workflow.ts';
import { Gate } from '../../testing/gate.ts';
import { WorkflowKit } from '../../testing/workflow-kit.ts';

/** Hooks that record their calls, with the workflow's id. */
function logging(log: string[], before: () => void = () => {}): WorkflowHooks {
  const record = (line: string): void => {
    log.push(line);
    before();
  };
  return {
    onStart: ({ workflowId }) => record(`${workflowId} start`),
    onStepStart: ({ workflowId }, { stepId, stepType }) => record(`${workflowId} ${stepId} ${stepType} start`),
    onStepEnd: ({ workflowId }, { output, status, stepId }) =>
      record(`${workflowId} ${stepId} ${status} ${JSON.stringify(output ?? null)}`),
    onSuspend: ({ workflowId }, { reason, stepId }) => record(`${workflowId} suspend ${stepId} ${reason}`),
    onError: ({ workflowId }, error) => record(`${workflowId} error ${(error as Error).message}`),
    onFinish: ({ workflowId }, output) => record(`${workflowId} finish ${JSON.stringify(output)}`),
    onEnd: ({ workflowId }, { status }) => record(`${workflowId} end ${status}`),
  };
}

const asks = ({ resumeData, suspend }: StepContext<unknown>): unknown => resumeData ?? suspend('ask');
const fails = (): string => {
  throw new TypeError('no');
};

describe('the hooks of a workflow', () => {
  it('are called when it starts, suspends, continues and completes', async () => {
    const log: string[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', hooks: logging(log) })
        .andTap({ id: 'tap', execute: fails })
        .andWhen({ id: 'when', condition: () => false, step: andThen({ id: 'never', execute: () => 1 }) })
        .andThen({ id: 'ask', execute: asks }),
    );
    const { executionId: id } = await kit.run('x');
    expect(log).toEqual([
      'w start',
      'w tap andTap start',
      'w tap error null',
      'w when andWhen start',
      'w when skipped "x"',
      'w ask andThen start',
      'w suspend ask ask',
    ]);
    log.length = 0;
    await kit.restart();
    await kit.resume(id, 'done');
    expect(log).toEqual(['w ask success "done"', 'w finish "done"', 'w end completed']);
  });

  it('are called when it fails or is cancelled', async () => {
    const log: string[] = [];
    const workflow = createWorkflow({ id: 'w', hooks: logging(log) });
    await new WorkflowKit(workflow.andThen({ id: 'work', execute: fails })).run();
    expect(log.slice(-3)).toEqual(['w work error null', 'w error Step "work" failed', 'w end error']);
    log.length = 0;
    const kit = new WorkflowKit(workflow.andThen({ id: 'ask', execute: asks }));
    const { executionId: id } = await kit.run();
    await kit.cancel(id);
    expect(log.slice(2)).toEqual(['w suspend ask ask', 'w end cancelled']);
  });

  it('are also called when it runs as a sub-workflow', async () => {
    const log: string[] = [];
    const child = createWorkflow({ id: 'child', hooks: logging(log) }).andThen({ id: 'ask', execute: asks });
    const broken = createWorkflow({ id: 'broken', hooks: logging(log) }).andThen({ id: 'work', execute: fails });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andWorkflow({ id: 'sub', workflow: child })
        .andWorkflow({ id: 'next', workflow: broken }),
      child,
      broken,
    );
    const { executionId: id } = await kit.run();
    expect(log).toEqual(['child start', 'child ask andThen start', 'child suspend ask ask']);
    log.length = 0;
    await kit.resume(id, 'done');
    expect(log).toEqual([
      'child ask success "done"',
      'child finish "done"',
      'child end completed',
      'broken start',
      'broken work andThen start',
      'broken work error null',
      'broken error Step "work" failed',
      'broken end error',
    ]);
    log.length = 0;
    const fast = andThen({ id: 'fast', execute: () => yieldToEventLoop('fast') });
    const race = andRace({ id: 'race', steps: [andWorkflow({ id: 'sub', workflow: child }), fast] });
    await new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [race] }), child).run();
    expect(log.at(-1)).toBe('child end cancelled');
  });

  it('have no effect on the execution, whatever they throw, return or change', async () => {
    const log: string[] = [];
    const hooks = logging(log, () => {
      throw new TypeError('a hook');
    });
    const spoils: WorkflowHooks = {
      onStart: async () => Promise.reject(new TypeError('later')),
      onStepEnd: ({ metadata }, { output }) => {
        Object.assign(metadata, { spoilt: true });
        Object.assign(output as object, { spoilt: true });
      },
      onFinish: (_execution, output) => void Object.assign(output as object, { spoilt: true }),
      onEnd: (_execution, { output }) => void Object.assign(output as object, { spoilt: true }),
    };
    for (const one of [hooks, spoils]) {
      const kit = new WorkflowKit(
        createWorkflow({ id: 'w', hooks: one })
          .andThen({ id: 'a', execute: () => ({ a: 1 }) })
          .andThen({ id: 'b', execute: ({ data }) => data }),
      );
      const { executionId: id, ...run } = await kit.run();
      expect(run).toMatchObject({ status: 'completed', result: { a: 1 } });
      const all = [await kit.row(id), await kit.journal(id), await kit.events(id), run];
      expect(JSON.stringify(all)).not.toContain('spoilt');
    }
    expect(log).toHaveLength(7);
  });

  it('are not awaited longer than the time limit, so that one that never ends keeps no execution', async () => {
    const never = (): Promise<void> => new Promise(() => {});
    const hooks = {
      onStart: never,
      onStepStart: never,
      onStepEnd: never,
      onSuspend: never,
      onFinish: never,
      onEnd: never,
    };
    const lines: string[] = [];
    const logger: Logger = {
      ...silentLogger,
      warn: (fields, message) => lines.push(`${JSON.stringify(fields)} ${message}`),
    };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w', hooks, hookTimeoutMs: 1 }).andThen({ id: 'ask', execute: asks }),
    ).use({ logger });
    const { executionId: id } = await kit.run();
    expect(await kit.resume(id, 'done')).toMatchObject({ status: 'completed', result: 'done' });
    // The result does not wait for the last two.
    await expect
      .poll(() => lines.map((line) => /"hook":"(\w+)"/.exec(line)?.[1]))
      .toEqual(['onStart', 'onStepStart', 'onSuspend', 'onStepEnd', 'onFinish', 'onEnd']);
    expect(lines[0]).toContain('a hook took too long, and the execution continues without it');
    for (const hookTimeoutMs of [0, -1, 1.5, Number.NaN, 2 ** 31])
      expect(() => createWorkflow({ id: 'w', hookTimeoutMs })).toThrow('hookTimeoutMs of workflow "w" must be');
  });

  it('are awaited', async () => {
    const gate = new Gate();
    const ran: string[] = [];
    const kit = new WorkflowKit(
      createWorkflow({
        id: 'w',
        hooks: { onStepStart: () => gate.pass({ signal: new AbortController().signal }) },
      }).andThen({ id: 'work', execute: () => ran.push('work') }),
    );
    const id = await kit.begin();
    expect(ran).toEqual([]);
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['work']);
  });
});
