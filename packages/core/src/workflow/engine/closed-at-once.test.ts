import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import type { Step } from '../definition/step.ts';
import { andSleep } from '../steps/and-sleep.ts';
import { andTap } from '../steps/and-tap.ts';
import { andThen } from '../steps/and-then.ts';
import { andWhen } from '../steps/and-when.ts';
import { andWorkflow } from '../steps/and-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';

const child = createWorkflow({ id: 'child' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('an answer'),
});

it('gives a workflow one result when several steps bail at the same time', async () => {
  const kit = new WorkflowKit(
    createWorkflow({ id: 'order' }).andForEach({
      id: 'lines',
      items: () => [1, 2],
      concurrency: 2,
      step: andTap({ id: 'line', execute: ({ bail, data }) => bail({ line: data }) }),
    }),
  );
  const { executionId, result } = await kit.run();
  const bails = (await kit.journal(executionId)).filter(({ path }) => path === '#bail');
  expect(bails).toMatchObject([{ output: result }]);
});

it('ends with the result of a bail, even if a race around it is won in the same turn', async () => {
  const kit = new WorkflowKit(
    createWorkflow({ id: 'order' })
      .andRace({
        id: 'race',
        steps: [
          andSleep({ id: 'wait', durationMs: 30_000 }),
          andThen({
            id: 'approve',
            execute: ({ bail, resumeData, suspend }) => (resumeData === undefined ? suspend('approval') : bail('no')),
          }),
        ],
      })
      .andThen({ id: 'pay', execute: () => 'paid' }),
  );
  const id = await kit.begin();
  kit.clock.advance(30_000);

  expect(await kit.resume(id, false)).toMatchObject({ status: 'completed', result: 'no' });
  const paths = (await kit.journal(id)).map(({ path }) => path);
  expect(paths).not.toContain('race');
  expect(paths).toContain('race/approve');
});

it('cancels a sub-workflow once when it loses a race before a new run reaches it', async () => {
  const sub = andWorkflow({ id: 'sub', workflow: child });
  const deep = ['a', 'b', 'c', 'd'].reduce<Step<unknown, unknown>>(
    (step, id) => andWhen({ id, condition: () => true, step }),
    sub,
  );
  const kit = new WorkflowKit(
    createWorkflow({ id: 'order' }).andRace({
      id: 'race',
      steps: [deep, andSleep({ id: 'wait', durationMs: 1_000 })],
    }),
    child,
  );
  const id = await kit.begin();
  await kit.restart();
  await kit.advance(1_000);

  expect(await kit.row(id)).toMatchObject({ status: 'completed' });
  const [row] = await kit.children(id);
  const history = await kit.history(row?.id ?? '');
  expect(history.filter((event) => event.startsWith('workflow-cancelled'))).toHaveLength(1);
  expect(history.at(-1)).toBe('workflow-result child');
});

it('cancels a sub-workflow that starts in the turn in which the execution is cancelled', async () => {
  const kit = new WorkflowKit(
    createWorkflow({ id: 'order' }).andAll({
      id: 'all',
      steps: [
        andWorkflow({ id: 'sub', workflow: child }),
        andThen({ id: 'stop', execute: ({ abort }) => abort('no more') }),
        andTap({ id: 'stop-too', execute: ({ abort }) => abort('no more') }),
      ],
    }),
    child,
  );
  const { executionId, status } = await kit.run();
  expect(status).toBe('cancelled');
  for (const sub of await kit.children(executionId)) expect(sub.status).toBe('cancelled');
});
