import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { scriptedModel } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { createWorkflow } from './create-workflow.ts';
import type { Step } from './definition/step.ts';
import type { WorkflowDefinition } from './definition/workflow-definition.ts';
import { andAll } from './steps/and-all.ts';
import { andThen } from './steps/and-then.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

type AnyData = Step<unknown, unknown>;
type Make = (id: string, undo?: () => unknown) => AnyData;

const one = (id: string, step: AnyData) => ({ id, steps: [step] as const });

describe('the idempotency keys of a retry are new only for undone steps:', () => {
  /**
   * Runs the workflow, lets `charge` fail, and retries twice. @returns the keys of each step, by
   * its id.
   */
  async function keysOf(make: (keyed: Make) => WorkflowDefinition): Promise<Record<string, readonly string[]>> {
    const keys: Record<string, string[]> = {};
    let failures = 0;
    const keyed: Make = (id, undo) =>
      andThen({
        id,
        execute: ({ idempotencyKey }) => {
          (keys[id] ??= []).push(idempotencyKey.slice(idempotencyKey.indexOf('/') + 1));
          if (id !== 'charge') return id;
          failures += 1;
          if (failures < 3) throw new TypeError('the answer was lost');
          return 'paid';
        },
        ...(undo !== undefined && { compensate: undo }),
      });
    const kit = new WorkflowKit(make(keyed));
    const { executionId } = await kit.run();
    expect(await kit.retry(executionId)).toMatchObject({ status: 'error' });
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed' });
    return keys;
  }

  it('not for the step that failed, nor for one that has no compensation', async () => {
    const keys = await keysOf((keyed) =>
      createWorkflow({ id: 'w' })
        .andAll(
          one(
            'a',
            keyed('flight', () => null),
          ),
        )
        .andAll(one('b', keyed('mail')))
        .andAll(one('c', keyed('charge'))),
    );
    const flight = 'a/flight';
    expect(keys).toEqual({
      flight: [flight, `${flight}@1`, `${flight}@2`],
      mail: Array.from({ length: 3 }, () => 'b/mail'),
      charge: Array.from({ length: 3 }, () => 'c/charge'),
    });
  });

  it('not for a step whose compensation failed', async () => {
    const broken = (): never => {
      throw new TypeError('down');
    };
    const keys = await keysOf((keyed) =>
      createWorkflow({ id: 'w' })
        .andAll(one('a', keyed('flight', broken)))
        .andAll(one('b', keyed('charge'))),
    );
    expect(new Set(keys['flight'])).toEqual(new Set(['a/flight']));
  });

  it('and for steps of a failed sub-workflow in the same way', async () => {
    const keys = await keysOf((keyed) =>
      createWorkflow({ id: 'w' }).andWorkflow({
        id: 'sub',
        workflow: createWorkflow({ id: 'child' })
          .andAll(
            one(
              'a',
              keyed('seat', () => null),
            ),
          )
          .andAll(one('b', keyed('mail')))
          .andAll(one('c', keyed('charge'))),
      }),
    );
    const [seat, mail, charge] = ['a/seat', 'b/mail', 'c/charge'].map((path) => `sub/${path}`);
    expect(keys).toEqual({
      seat: [seat, `${seat}@1`, `${seat}@2`],
      mail: [mail, mail, mail],
      charge: [charge, charge, charge],
    });
  });

  it('and for a `finally`, which tidies up again', async () => {
    const keys = await keysOf((keyed) =>
      createWorkflow({ id: 'w' }).andTry({
        id: 'try',
        step: keyed('charge'),
        finally: andAll({ id: 'last', steps: [keyed('tidy')] }),
      }),
    );
    const tidy = 'try/last/tidy';
    expect(keys['tidy']).toEqual([tidy, `${tidy}@1`, `${tidy}@2`]);
    expect(new Set(keys['charge'])).toEqual(new Set(['try/charge']));
  });
});

describe('when an agent has called a tool and then failed, a retry', () => {
  /**
   * A step, and an agent that calls a tool and then fails once. @returns the keys of the tool and
   * how the model was called.
   */
  async function retried(compensate?: () => null) {
    const keys: string[] = [];
    const charge = createTool({
      name: 'charge',
      description: 'Charges a card',
      input: Type.Object({}),
      execute: (_input, { idempotencyKey }) => keys.push(idempotencyKey),
    });
    let hasFailed = false;
    const model = scriptedModel(({ prompt }) => {
      if (prompt.every(({ role }) => role !== 'tool')) return { toolCalls: [{ toolName: 'charge', input: {} }] };
      if (hasFailed) return 'Paid.';
      hasFailed = true;
      throw new TypeError('down');
    });
    const agent = new Agent({ id: 'clerk', model, tools: [charge] });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({ id: 'book', execute: () => 'B-1', ...(compensate !== undefined && { compensate }) })
        .andAgent({ id: 'pay', agent, prompt: ({ data }) => `Pay ${data}` }),
    );
    const { executionId, status } = await kit.run();
    expect(status).toBe('error');
    expect(await kit.retry(executionId)).toMatchObject({ status: 'completed', result: 'Paid.' });
    return { keys, modelCalls: model.calls.length };
  }

  it('continues after the recorded calls', async () => {
    const { keys, modelCalls } = await retried();
    expect(keys).toHaveLength(1);
    expect(modelCalls).toBe(3);
  });

  it('starts the agent again if a step before it was undone: its prompt may be another, and its calls have new keys', async () => {
    const { keys, modelCalls } = await retried(() => null);
    expect(new Set(keys).size).toBe(2);
    expect(modelCalls).toBe(4);
  });
});
