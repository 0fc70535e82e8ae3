import { InvalidInputError, StepFailedError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Schema } from '../../schema/schema.ts';
import { createWorkflow } from '../create-workflow.ts';
import type { StepContext } from '../definition/step-context.ts';
import type { Step } from '../definition/step.ts';
import { Gate } from '../testing/gate.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andAll } from './and-all.ts';
import { andDoWhile } from './and-do-while.ts';
import { andRun } from './and-run.ts';
import { andThen } from './and-then.ts';
import type { TryFailure } from './and-try.ts';
import { andWorkflow } from './and-workflow.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const limitMs = 5;

class CardError extends TypeError {
  override readonly name: string = 'CardError';
  readonly code = 'card_declined';
}

const throws = (error: unknown) =>
  andThen<unknown, unknown>({
    id: 'fails',
    execute: () => {
      throw error;
    },
  });
const slow = () => andThen<unknown, unknown>({ id: 'slow', timeoutMs: limitMs, execute: () => new Promise(() => {}) });
const unanswered = () =>
  andThen<unknown, unknown>({ id: 'ask', execute: ({ suspend }) => suspend('ask', null, { expiryMs: limitMs }) });
const child = (step: Step<unknown, unknown>, timeoutMs?: number) =>
  andWorkflow<unknown, unknown>({
    id: 'sub',
    workflow: createWorkflow({ id: 'child', ...(timeoutMs !== undefined && { timeoutMs }) }).andAll({
      id: 'inner',
      steps: [step],
    }),
  });

const failures: Readonly<Record<string, readonly [step: Step<unknown, unknown>, code: string, cause?: object]>> = {
  'an error of the app': [
    throws(new CardError('no money')),
    'STEP_FAILED',
    { name: 'CardError', message: 'no money', code: 'card_declined' },
  ],
  'an error that clients may read': [
    throws(new InvalidInputError('the card has expired')),
    'INVALID_INPUT',
    { name: 'InvalidInputError', message: 'the card has expired', code: 'INVALID_INPUT' },
  ],
  'a text': [throws('no'), 'STEP_FAILED', { name: 'Error', message: 'no' }],
  'an object without a prototype': [throws(Object.create(null)), 'STEP_FAILED', { name: 'Error', message: '' }],
  'an invalid input': [
    andThen({ id: 'typed', input: Type.Object({ no: Type.String() }), execute: () => 1 }),
    'INVALID_INPUT',
  ],
  'the time limit of the step': [
    slow(),
    'STEP_TIMED_OUT',
    { name: 'TimeLimitError', message: 'Step "slow" took longer than 5 ms', code: 'STEP_TIMED_OUT' },
  ],
  'the time for an answer': [unanswered(), 'SUSPENSION_TIMED_OUT'],
  'too many rounds': [
    andDoWhile<unknown>({
      id: 'loop',
      maxIterations: 1,
      condition: () => true,
      step: andThen({ id: 'round', execute: () => 1 }),
    }),
    'TOO_MANY_ITERATIONS',
  ],
  'a step inside': [andAll({ id: 'all', steps: [slow()] }), 'STEP_TIMED_OUT'],
  'a step that code calls': [
    andRun<unknown, unknown>({
      id: 'code',
      run: ({ step }) => step('called', () => Promise.reject(new InvalidInputError('no'))),
    }),
    'INVALID_INPUT',
  ],
  'a step of a sub-workflow': [child(unanswered()), 'SUSPENSION_TIMED_OUT'],
  'the error of a sub-workflow': [
    child(throws(new CardError('no money'))),
    'STEP_FAILED',
    { name: 'CardError', message: 'no money', code: 'card_declined' },
  ],
  'the time limit of a sub-workflow': [
    child(andThen({ id: 'idle', execute: () => new Promise(() => {}) }), limitMs),
    'TIME_LIMIT_EXCEEDED',
  ],
};

describe('the error that `catch` gets', () => {
  it.each(Object.entries(failures))('has the code of %s, also after a takeover', async (_what, [step, code, cause]) => {
    const gate = new Gate();
    const seen: TryFailure<unknown>[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step,
        catch: andThen({
          id: 'caught',
          execute: async (context) => {
            seen.push(context.data);
            if (seen.length === 1) await gate.pass(context);
            return context.data;
          },
        }),
      }),
    );
    const id = await kit.begin({ order: 1 });
    vi.advanceTimersByTime(limitMs);
    await kit.advance(limitMs);
    await gate.entered;
    await kit.restart();
    const { result } = await kit.waitUntilIdle(id);
    const [live, recorded] = seen;
    expect(live?.error.code).toBe(code);
    expect(recorded).toEqual(live);
    expect(result).toEqual(live);
    if (cause !== undefined) expect(live?.error.cause).toEqual(cause);
    expect(recorded?.error.cause).toBeUndefined();
    // Clients can read both.
    expect(JSON.stringify([await kit.events(id), await kit.journal(id)])).not.toContain('no money');
  });

  it('has the cause in every step inside `catch` that gets the data, also with a schema that parses it', async () => {
    const causes: unknown[] = [];
    const note = (id: string, input?: Schema) =>
      andThen({
        id,
        ...(input !== undefined && { input }),
        execute: ({ data }: StepContext<TryFailure<unknown>>) => void causes.push(data.error.cause?.message),
      });
    const parsing = Type.Object({ error: Type.Object({ note: Type.String({ default: 'added' }) }) });
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andTry({
        id: 'safe',
        step: throws(new TypeError('down')),
        catch: andAll({ id: 'both', steps: [note('plain'), note('parsed', parsing)] }),
      }),
    );
    expect(await kit.run()).toMatchObject({ status: 'completed' });
    expect(causes).toEqual(['down', 'down']);
  });

  it('is the code of the error that the code of `andRun` catches, too', async () => {
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andRun({
        id: 'code',
        run: async ({ sleep, step }) => {
          const error = await step('called', () => Promise.reject(new InvalidInputError('no'))).catch(
            (one: unknown) => one,
          );
          await sleep('nap', 1_000);
          return error instanceof StepFailedError ? error.causeCode : 'another error';
        },
      }),
    );
    const id = await kit.begin();
    await kit.advance(1_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ result: 'INVALID_INPUT' });
  });
});
