import { expect, it } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowKit } from '../testing/workflow-kit.ts';

const child = createWorkflow({ id: 'child' })
  .andThen({ id: 'before', execute: () => 'asked' })
  .andThen({
    id: 'ask',
    execute: ({ data, resumeData, suspend }) => resumeData ?? suspend(data),
  });
const parent = createWorkflow({ id: 'parent' }).andWorkflow({ id: 'sub', workflow: child });

async function waitingChild(): Promise<{ readonly kit: WorkflowKit; readonly id: string }> {
  const kit = new WorkflowKit(parent, child);
  const [row] = await kit.children(await kit.begin());
  return { kit, id: row?.id ?? '' };
}

it('waits for the result of a resumed sub-workflow, although its row is still suspended', async () => {
  const { id, kit } = await waitingChild();
  const key = await kit.key(id);
  await kit.runtime.resume(key, { resumeData: 'yes' });

  expect(await kit.runtime.wait(key)).toMatchObject({ executionId: id, status: 'completed', result: 'yes' });
});

it('waits for the result of a rewound sub-workflow', async () => {
  const { id, kit } = await waitingChild();
  const key = await kit.key(id);
  const before = (await kit.row(id)).seq;
  await kit.runtime.resume(key, { stepId: 'before' });
  await kit.runtime.wait(key);

  expect((await kit.row(id)).seq).toBeGreaterThan(before);
});

it('follows a resumed sub-workflow until it is idle again', async () => {
  const { id, kit } = await waitingChild();
  const key = await kit.key(id);
  const { seq } = await kit.row(id);
  await kit.runtime.resume(key, { resumeData: 'yes' });
  const follower = await kit.runtime.follow(key, seq);
  const types: string[] = [];
  for await (const { event } of follower) types.push(event.type);

  expect(types.at(-1)).toBe('workflow-result');
});
