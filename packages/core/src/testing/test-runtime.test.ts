import { afterEach, expect, it } from 'vitest';
import { createWorkflow } from '../workflow/create-workflow.ts';
import { andThen } from '../workflow/steps/and-then.ts';
import { type TestRuntime, testRuntime } from './test-runtime.ts';

const hourMs = 3_600_000;
let test: TestRuntime;
afterEach(() => test.stop());

const keyOf = (workflowId: string, executionId: string) => ({ owner: 'anyone', workflowId, executionId }) as const;
const get = async (workflowId: string, executionId: string) => test.runtime.get(keyOf(workflowId, executionId));

it('wakes executions when they are due, each time they sleep', async () => {
  const wokenAt: number[] = [];
  const reminders = createWorkflow({ id: 'reminders' })
    .andSleep({ id: 'a-day', durationMs: 24 * hourMs })
    .andThen({ id: 'first', execute: () => wokenAt.push(test.clock.now()) })
    .andSleep({ id: 'an-hour', durationMs: hourMs })
    .andThen({ id: 'second', execute: () => wokenAt.push(test.clock.now()) });
  test = testRuntime({ workflows: [reminders] });
  const startedAt = test.clock.now();
  const id = await test.runtime.begin('reminders', null);

  await test.advance('23h');
  expect(wokenAt).toEqual([]);
  await test.advance('3d');
  expect(wokenAt).toEqual([startedAt + 24 * hourMs, startedAt + 25 * hourMs]);
  expect(test.clock.now()).toBe(startedAt + 95 * hourMs);
  expect(await get('reminders', id)).toMatchObject({ status: 'completed', output: 2 });
});

it('lets a suspension expire, retries wait, and events and starts happen without time', async () => {
  let attempts = 0;
  const child = createWorkflow({ id: 'child' }).andThen({
    id: 'flaky',
    retries: { attempts: 3, delayMs: hourMs },
    execute: () => {
      attempts += 1;
      if (attempts < 3) throw new Error('not yet');
      return 'done';
    },
  });
  const parent = createWorkflow({ id: 'parent' })
    .andTry({
      id: 'try',
      step: andThen({
        id: 'ask',
        execute: ({ resumeData, suspend }) => resumeData ?? suspend('May I?', undefined, { expiryMs: hourMs }),
      }),
      catch: andThen({ id: 'late', execute: ({ data }) => data.error.code }),
    })
    .andStart({ id: 'start', workflow: child })
    .andJoin({ id: 'join' });
  test = testRuntime({ workflows: [parent, child] });
  const id = await test.runtime.begin('parent', null);

  await test.advance(0);
  expect(await get('parent', id)).toMatchObject({ status: 'suspended' });
  await test.advance('1d');
  expect(await get('parent', id)).toMatchObject({
    status: 'completed',
    output: [{ status: 'completed', output: 'done' }],
  });
});

it('resumes an execution for the test', async () => {
  const ask = createWorkflow({ id: 'ask' }).andThen({
    id: 'ask',
    execute: ({ resumeData, suspend }) => resumeData ?? suspend('May I?'),
  });
  test = testRuntime({ workflows: [ask] });
  const id = await test.runtime.begin('ask', null);
  await test.advance(0);
  await test.runtime.resume(keyOf('ask', id), { resumeData: 'yes' });
  await test.advance(0);
  expect(await get('ask', id)).toMatchObject({ status: 'completed', output: 'yes' });
});

it.each(['3 days', '-1s', Number.NaN] as never[])('refuses the time %s', async (time) => {
  test = testRuntime({ workflows: [createWorkflow({ id: 'w' }).andThen({ id: 'a', execute: () => 1 })] });
  await expect(test.advance(time)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
});
