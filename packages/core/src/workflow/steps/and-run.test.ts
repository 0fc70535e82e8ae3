import { InvalidInputError, StepFailedError } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { Gate } from '../testing/gate.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';
import { andRun, type CodeContext } from './and-run.ts';
import { andThen } from './and-then.ts';

const hour = 3_600_000;

type Code = (context: CodeContext<unknown>, note: (call: string) => string) => unknown;

/** A workflow of code, which notes the calls of its steps. */
function withCode(run: Code): { readonly kit: WorkflowKit; readonly notes: string[] } {
  const notes: string[] = [];
  const note = (call: string): string => {
    notes.push(call);
    return call;
  };
  const workflow = createWorkflow({ id: 'w' }).andRun({ id: 'code', run: (context) => run(context, note) });
  return { kit: new WorkflowKit(workflow), notes };
}

describe('andRun', () => {
  it('runs loops and conditions, and records each step that it calls', async () => {
    const { kit } = withCode(async ({ data, step }) => {
      let total = 0;
      for (const [index, price] of (data as number[]).entries())
        if (price > 1) total += await step(`add-${index}`, () => price);
      return { total };
    });
    const run = await kit.run([1, 2, 3]);
    expect(run).toMatchObject({ status: 'completed', result: { total: 5 } });
    expect(await kit.history(run.executionId)).toEqual([
      'workflow-start w',
      'step-start code',
      'step-start code/add-1',
      'step-complete code/add-1',
      'step-start code/add-2',
      'step-complete code/add-2',
      'step-complete code',
      'workflow-complete w',
      'workflow-result w',
    ]);
    const journal = await kit.journal(run.executionId);
    expect(journal.map(({ output, path, type }) => [path, type, output])).toEqual([
      ['code/add-1', 'andThen', 2],
      ['code/add-2', 'andThen', 3],
      ['code', 'andRun', { total: 5 }],
    ]);
  });

  it('sleeps without a process, and calls no recorded step again', async () => {
    const { kit, notes } = withCode(async ({ sleep, sleepUntil, state, step }, note) => {
      const first = await step('first', () => note('first'));
      await sleep('nap', hour);
      await sleepUntil('moment', new Date(new Date(state.startAt).getTime() + 3 * hour));
      return [first, await step('second', () => note('second'))];
    });
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({
      status: 'running',
      runner: null,
      timers: [{ path: 'code/nap', wakeAt: kit.clock.now() + hour }],
    });
    await kit.restart();
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ runner: null, timers: [{ path: 'code/moment' }] });
    await kit.advance(3 * hour);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: ['first', 'second'], timers: [] });
    expect(notes).toEqual(['first', 'second']);
  });

  it('suspends in a step, and continues there with the answer', async () => {
    const { kit, notes } = withCode(async ({ step }, note) => {
      await step('draft', () => note('draft'));
      const { by } = await step(
        'approve',
        ({ resumeData, suspend }) => (resumeData as { by: string } | undefined) ?? suspend('please', { for: 'you' }),
      );
      return note(by);
    });
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({
      status: 'suspended',
      runner: null,
      suspensions: [{ path: 'code/approve', stepId: 'code/approve', reason: 'please', data: { for: 'you' } }],
    });
    await kit.restart();
    expect(await kit.resume(id, { by: 'eve' }, 'code/approve')).toMatchObject({ status: 'completed', result: 'eve' });
    expect(notes).toEqual(['draft', 'eve']);
  });

  it('receives events, and null when none comes in time', async () => {
    const { kit } = withCode(async ({ waitForEvent }) => [
      await waitForEvent('paid', { event: 'order.paid', key: 'o-1', timeoutMs: hour }),
      await waitForEvent('shipped', { event: 'order.shipped', timeoutMs: hour }),
    ]);
    const id = await kit.begin();
    await kit.runtime.publish({ name: 'order.paid', key: 'o-1', payload: { amount: 3 } });
    await kit.settle();
    await kit.restart();
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: [{ amount: 3 }, null] });
  });

  it('is released while all of several parallel steps wait, and continues with each', async () => {
    const { kit, notes } = withCode(async ({ sleep, step }, note) => {
      const long = sleep('long', 2 * hour).then(() => step('after-long', () => note('after-long')));
      const short = sleep('short', hour).then(() => step('after-short', () => note('after-short')));
      const answer = step('ask', ({ resumeData, suspend }) => resumeData ?? suspend('ask'));
      return Promise.all([long, short, answer]);
    });
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', runner: null });
    await kit.advance(hour);
    expect(notes).toEqual(['after-short']);
    expect(await kit.row(id)).toMatchObject({ status: 'suspended', runner: null });
    await kit.answer(id, 'yes');
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: null });
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: ['after-long', 'after-short', 'yes'] });
    expect(notes).toEqual(['after-short', 'after-long']);
  });

  it('lets code handle the failure of a step, after its retries', async () => {
    const { kit, notes } = withCode(async ({ step }, note) => {
      try {
        return await step(
          'charge',
          () => {
            note('charge');
            throw new InvalidInputError('no money');
          },
          { retries: { attempts: 2, delayMs: 1_000 } },
        );
      } catch (error) {
        expect(error).toBeInstanceOf(StepFailedError);
        return step('refund', () => note(`refund after: ${(error as Error).message}`));
      }
    });
    const id = await kit.begin();
    await kit.restart();
    expect(notes).toEqual(['charge', 'charge', 'refund after: Step "code/charge" failed: no money']);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: notes.at(-1) });
  });

  it('fails with the step that failed, and a retry calls only that one again', async () => {
    let isBroken = true;
    const { kit, notes } = withCode(async ({ step }, note) => {
      await step('optional', () => {
        throw new TypeError(note('optional'));
      }).catch(() => undefined);
      await step('first', () => note('first'));
      return step('charge', () => {
        note('charge');
        if (isBroken) throw new InvalidInputError('no money');
        return 'paid';
      });
    });
    const run = await kit.run();
    expect(run).toMatchObject({ status: 'error', error: { stepId: 'code/charge', code: 'STEP_FAILED' } });
    isBroken = false;
    expect(await kit.retry(run.executionId)).toMatchObject({ status: 'completed', result: 'paid' });
    expect(notes).toEqual(['optional', 'first', 'charge', 'charge']);
  });

  it('runs again as a whole when it is rewound, with the idempotency keys that the caller wants', async () => {
    const keys: string[] = [];
    const workflow = createWorkflow({ id: 'w' })
      .andRun({ id: 'code', run: ({ step }) => step('charge', ({ idempotencyKey }) => keys.push(idempotencyKey)) })
      .andThen({ id: 'ask', execute: ({ resumeData, suspend }) => resumeData ?? suspend('ask') });
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin();
    await kit.answer(id, undefined, 'code');
    expect(keys).toEqual([`${id}/code/charge`, `${id}/code/charge`]);
    await kit.runtime.resume(await kit.key(id), { stepId: 'code', newIdempotencyKeys: true });
    await kit.settle();
    expect(keys[2]).toBe(`${id}/code/charge@1`);
    const starts = (await kit.history(id)).filter((line) => line === 'step-start code/charge');
    expect(starts).toHaveLength(3);
  });

  it.each([
    [
      'two steps with the same id',
      /two steps of "code" have the id "a"/,
      async ({ step }: CodeContext<unknown>) => {
        await step('a', () => 1);
        await step('a', () => 2);
      },
    ],
    ['an invalid id', /Step id "a b" must match/, ({ step }: CodeContext<unknown>) => step('a b', () => 1)],
  ])('fails with a clear message for %s', async (_, message, run) => {
    const { kit } = withCode(run);
    expect((await kit.run()).error?.message).toMatch(message);
  });

  it('fails when a recorded step is of another kind now', async () => {
    const workflow = (next: Code) =>
      createWorkflow({ id: 'w' }).andRun({ id: 'code', run: (context) => next(context, String) });
    const kit = new WorkflowKit(
      workflow(async ({ sleep, step }) => {
        await step('a', () => 1);
        await sleep('nap', hour);
      }),
    );
    const id = await kit.begin();
    await kit.restart(
      workflow(async ({ sleep }) => {
        await sleep('a', hour);
      }),
    );
    await kit.advance(hour);
    expect((await kit.row(id)).error?.message).toContain('step "code/a" was recorded as andThen and is now andSleep');
  });

  it('does not let code catch that its step has bailed', async () => {
    const { kit, notes } = withCode(async ({ step }, note) => {
      try {
        await step('leave', ({ bail }) => bail('early'));
      } catch {
        note('caught');
      } finally {
        note('continued');
      }
      return 'late';
    });
    expect(await kit.run()).toMatchObject({ status: 'completed', result: 'early' });
    expect(notes).toEqual([]);
  });

  it('stops the steps that still run when the code returns, and aborts their signals', async () => {
    const gate = new Gate();
    const { kit } = withCode(async ({ sleep, step }) => {
      void step('slow', (context) => gate.pass(context));
      void sleep('nap', hour);
      return step('quick', async () => {
        await gate.entered;
        return 'done';
      });
    });
    const run = await kit.run();
    expect(run).toMatchObject({ status: 'completed', result: 'done' });
    expect(gate.signals[0]?.aborted).toBe(true);
    expect(await kit.row(run.executionId)).toMatchObject({ timers: [], suspensions: [] });
    expect((await kit.journal(run.executionId)).map(({ path }) => path)).toEqual(['code/quick', 'code']);
  });

  it('waits for code that does something beside its steps', async () => {
    const gate = new Gate();
    const { kit } = withCode(async ({ signal, step }) => {
      await step('first', () => 1);
      await gate.pass({ signal });
      return step('second', () => 2);
    });
    const id = await kit.begin();
    expect(await kit.row(id)).toMatchObject({ status: 'running', runner: expect.any(String) as string });
    gate.open();
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 2 });
  });

  it('does not report a failure that the code has not awaited', async () => {
    const { kit } = withCode(async ({ sleep, step }) => {
      const failing = step('failing', () => {
        throw new TypeError('nobody reads this yet');
      });
      await sleep('nap', hour);
      return failing.catch(() => 'handled');
    });
    const id = await kit.begin();
    await kit.restart();
    await kit.advance(hour);
    expect(await kit.row(id)).toMatchObject({ status: 'completed', output: 'handled' });
  });

  it('names its steps by the items of the loops around it, and finds their outputs', async () => {
    const read: unknown[] = [];
    const workflow = createWorkflow({ id: 'w' }).andForEach({
      id: 'lines',
      concurrency: 2,
      items: () => ['a', 'b'],
      step: andRun<string, unknown>({
        id: 'code',
        run: async ({ data, getStepData, step }) => {
          await step('price', () => `${data}!`);
          read.push(getStepData('code/price')?.output);
          return step('ask', ({ resumeData, suspend }) => resumeData ?? suspend(data));
        },
      }),
    });
    const kit = new WorkflowKit(workflow);
    const id = await kit.begin();
    expect((await kit.row(id)).suspensions.map(({ path, stepId }) => [path, stepId])).toEqual([
      ['lines:0/code/ask', 'code/ask:0'],
      ['lines:1/code/ask', 'code/ask:1'],
    ]);
    expect(new Set(read)).toEqual(new Set(['a!', 'b!']));
    await kit.answer(id, 'second', 'code/ask:1');
    expect(await kit.resume(id, 'first', 'code/ask:0')).toMatchObject({ result: ['first', 'second'] });
  });

  it('is dropped as the loser of a race', async () => {
    const workflow = createWorkflow({ id: 'w' }).andRace({
      id: 'race',
      steps: [
        andRun({
          id: 'code',
          run: async ({ sleep }) => {
            await sleep('nap', hour);
            return 'slow';
          },
        }),
        andThen({ id: 'quick', execute: () => 'quick' }),
      ],
    });
    const kit = new WorkflowKit(workflow);
    const run = await kit.run();
    expect(run).toMatchObject({ status: 'completed', result: 'quick' });
    expect(await kit.row(run.executionId)).toMatchObject({ timers: [] });
  });

  it('can be undone when the workflow fails later', async () => {
    const undone: unknown[] = [];
    const workflow = createWorkflow({ id: 'w' })
      .andRun({
        id: 'code',
        run: async ({ step }) => ({ booking: await step('book', () => 7) }),
        compensate: ({ data }) => void undone.push(data),
      })
      .andThen({
        id: 'fails',
        execute: () => {
          throw new TypeError('no');
        },
      });
    const kit = new WorkflowKit(workflow);
    expect(await kit.run()).toMatchObject({ status: 'error' });
    expect(undone).toEqual([{ booking: 7 }]);
  });

  it('continues a loop of a thousand steps in another process', async () => {
    const { kit, notes } = withCode(async ({ sleep, step }, note) => {
      let sum = 0;
      for (let round = 0; round < 1_000; round += 1) {
        sum += await step(`add-${round}`, () => {
          note('add');
          return round;
        });
        if (round === 500) await sleep('nap', hour);
      }
      return sum;
    });
    const id = await kit.begin();
    await expect.poll(async () => (await kit.row(id)).runner).toBeNull();
    await kit.restart();
    await kit.advance(hour);
    expect(await kit.waitUntilIdle(id)).toMatchObject({ status: 'completed', result: 499_500 });
    expect(notes).toHaveLength(1_000);
  });
});
