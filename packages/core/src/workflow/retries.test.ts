import { silentLogger } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { providerError } from '../model/testing/provider-error.ts';
import { scriptedModel } from '../testing/scripted-model.ts';
import { createWorkflow } from './create-workflow.ts';
import type { StepContext } from './definition/step-context.ts';
import { andAgent } from './steps/and-agent.ts';
import { andAll } from './steps/and-all.ts';
import { andThen } from './steps/and-then.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

class Busy extends Error {}

/** A body whose first calls fail. */
function failing(
  times: number,
  error: () => Error = () => new Busy('busy'),
): {
  readonly execute: (context: StepContext<unknown>) => string;
  readonly counts: number[];
  readonly keys: string[];
} {
  const [counts, keys]: [number[], string[]] = [[], []];
  const execute = ({ idempotencyKey, retryCount }: StepContext<unknown>): string => {
    counts.push(retryCount);
    keys.push(idempotencyKey);
    if (counts.length <= times) throw error();
    return 'made';
  };
  return { execute, counts, keys };
}

describe('a step that is retried', () => {
  it('doubles the wait each time, up to a limit, with jitter that shortens it by at most half', async () => {
    const { counts, execute, keys } = failing(4);
    const retries = { attempts: 5, delayMs: 1_000, maxDelayMs: 3_000 };
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andThen({ id: 'work', retries, execute }));
    const id = await kit.begin();
    for (const longest of [1_000, 2_000, 3_000, 3_000]) {
      const { runner, status, timers } = await kit.row(id);
      expect({ runner, status, timers: timers.length }).toEqual({ runner: null, status: 'running', timers: 1 });
      const waitMs = (timers[0]?.wakeAt ?? 0) - kit.clock.now();
      expect(waitMs).toBeGreaterThanOrEqual(longest / 2);
      expect(waitMs).toBeLessThanOrEqual(longest);
      const tried = counts.length;
      await kit.advance(waitMs - 1);
      expect(counts).toHaveLength(tried);
      await kit.advance(1);
      expect(counts).toHaveLength(tried + 1);
    }
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 'made' });
    expect(counts).toEqual([0, 1, 2, 3, 4]);
    expect(new Set(keys).size).toBe(1);
    expect(await kit.journal(id)).toMatchObject([{ path: 'work', attempts: 5 }]);
    const events = await kit.events(id);
    expect(events.filter(({ type }) => type === 'step-retry')).toMatchObject(
      [1, 2, 3, 4].map((attempt) => ({ attempt, error: 'Step "work" failed', from: 'work' })),
    );
    expect(events.filter(({ type }) => type === 'step-start')).toHaveLength(1);
  });

  it('logs each attempt that is retried, without the input', async () => {
    const lines: unknown[] = [];
    const logger = { ...silentLogger, warn: (fields: object, text: string) => void lines.push([fields, text]) };
    const { execute } = failing(9);
    const retries = { attempts: 3, delayMs: 1_000 };
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andThen({ id: 'work', retries, execute })).use({ logger });
    const id = await kit.begin({ card: 'secret' }, { userId: 'ada' });
    await kit.restart();
    await kit.advance(1_000);
    await kit.advance(2_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'error' });

    const line = { workflowId: 'w', executionId: id, stepId: 'work', userId: 'ada', err: expect.any(Busy) };
    const delays = (await kit.events(id)).filter(({ type }) => type === 'step-retry').map(({ delayMs }) => delayMs);
    expect(delays).toHaveLength(2);
    expect(lines).toEqual(
      delays.map((delayMs, index) => [{ ...line, attempt: index + 1, delayMs }, 'a step failed and is retried']),
    );
  });

  it('logs the report of a provider without the prompt', async () => {
    const lines: object[] = [];
    const logger = { ...silentLogger, warn: (fields: object) => void lines.push(fields) };
    const rejected = providerError('Overloaded', 400, { input: 'my secret' });
    const agent = new Agent({ id: 'a', model: scriptedModel({ error: rejected }, 'Fine.') });
    const retries = { attempts: 2, delayMs: 0 };
    const asked = andAgent({ id: 'ask', agent, prompt: () => 'my secret', retries });
    const called = andThen({ id: 'call', retries, execute: failing(1, () => rejected).execute });
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andAll({ id: 'all', steps: [asked, called] }));
    expect(await kit.use({ logger }).run()).toMatchObject({ status: 'completed' });

    const retried = lines.filter((line) => 'attempt' in line);
    expect(retried).toHaveLength(2);
    expect(retried).toContainEqual(
      expect.objectContaining({ stepId: 'ask', attempt: 1, reason: 'scripted answered 400: Overloaded' }),
    );
    expect(retried).toContainEqual(
      expect.objectContaining({ stepId: 'call', attempt: 1, reason: 'the provider answered 400: Overloaded' }),
    );
    for (const line of retried) expect(line).not.toHaveProperty('err');
  });

  it('fails when its attempts are used up', async () => {
    const { counts, execute } = failing(9);
    const kit = new WorkflowKit(createWorkflow({ id: 'w', retries: { attempts: 2 } }).andThen({ id: 'work', execute }));
    const id = await kit.begin();
    await kit.advance(1_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'error', error: { stepId: 'work' } });
    expect(counts).toEqual([0, 1]);
    expect(await kit.journal(id)).toMatchObject([{ status: 'error', attempts: 2 }]);
  });

  it('uses its own settings, else those of its workflow, and asks `shouldRetry` about each error', async () => {
    const retryOn = (error: unknown): boolean => error instanceof Busy;
    const workflow = createWorkflow({ id: 'w', retries: { attempts: 3, delayMs: 0, retryOn } });
    const [busy, broken, own] = [failing(1), failing(1, () => new TypeError('broken')), failing(1)];
    expect(await new WorkflowKit(workflow.andThen({ id: 'work', execute: busy.execute })).run()).toMatchObject({
      status: 'completed',
    });
    expect(await new WorkflowKit(workflow.andThen({ id: 'work', execute: broken.execute })).run()).toMatchObject({
      status: 'error',
    });
    const once = workflow.andThen({ id: 'work', retries: { attempts: 1 }, execute: own.execute });
    expect(await new WorkflowKit(once).run()).toMatchObject({ status: 'error' });
    expect([busy.counts, broken.counts, own.counts]).toEqual([[0, 1], [0], [0]]);
  });

  it('continues counting in another process', async () => {
    const { counts, execute } = failing(2);
    const retries = { attempts: 3, delayMs: 3_600_000, maxDelayMs: 7_200_000 };
    const kit = new WorkflowKit(createWorkflow({ id: 'w' }).andThen({ id: 'work', retries, execute }));
    const id = await kit.begin();
    await kit.restart();
    expect(counts).toEqual([0]);
    await kit.advance(3_600_000);
    await kit.restart();
    expect(counts).toEqual([0, 1]);
    await kit.advance(7_200_000);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed' });
    expect(counts).toEqual([0, 1, 2]);
    expect(await kit.row(id)).toMatchObject({ timers: [] });
  });

  it('still receives its resume data', async () => {
    const seen: unknown[] = [];
    const retries = { attempts: 3, delayMs: 1_000 };
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' })
        .andThen({
          id: 'work',
          retries,
          execute: ({ resumeData, retryCount, suspend }) => {
            seen.push([resumeData, retryCount]);
            if (resumeData === undefined) return suspend('ask');
            if (seen.length < 3) throw new Busy('busy');
            return resumeData;
          },
        })
        .andThen({ id: 'next', execute: ({ data, resumeData }) => ({ data, resumeData }) }),
    );
    const { executionId: id } = await kit.run();
    await kit.answer(id, { by: 'Ann' });
    await kit.restart();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: { data: { by: 'Ann' } } });
    expect(seen).toEqual([
      [undefined, 0],
      [{ by: 'Ann' }, 0],
      [{ by: 'Ann' }, 1],
    ]);
  });

  it('may suspend after a failed attempt, without a place in the queue and without a timer', async () => {
    const counts: number[] = [];
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andThen({
        id: 'work',
        retries: { attempts: 3, delayMs: 1_000 },
        execute: ({ resumeData, retryCount, suspend }) => {
          counts.push(retryCount);
          if (retryCount === 0) throw new Busy('busy');
          return resumeData ?? suspend('ask');
        },
      }),
    );
    const id = await kit.begin();
    await kit.advance(1_000);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', runner: null });
    expect(await kit.nextDueInMs((await kit.row(id)).definition)).toBeUndefined();
    expect(await kit.resume(id, 'made')).toMatchObject({ status: 'completed', result: 'made' });
    expect(counts).toEqual([0, 1, 1]);
  });

  it('does not delay parallel branches, and stops when one of them fails', async () => {
    const { counts, execute } = failing(9);
    const kit = new WorkflowKit(
      createWorkflow({ id: 'w' }).andAll({
        id: 'all',
        steps: [
          andThen({ id: 'work', retries: { attempts: 9, delayMs: 1_000 }, execute }),
          andAll({
            id: 'inner',
            steps: [andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') })],
          }),
        ],
      }),
    );
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', timers: [{ path: 'all/work#retry', attempts: 1 }] });
    await kit.advance(1_000);
    expect(counts).toEqual([0, 1]);
    await kit.cancel(id);
    await kit.advance(100_000);
    expect(counts).toEqual([0, 1]);
  });
});
