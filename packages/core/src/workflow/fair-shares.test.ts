import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { createWorkflow } from './create-workflow.ts';
import { WorkflowRuntime } from './engine/workflow-runtime.ts';
import { WorkflowKit } from './testing/workflow-kit.ts';

/**
 * A kit with a workflow whose slow executions wait for `end`, and the number of executions that
 * each user or caller has begun.
 */
function slowAndTrivial(): {
  readonly kit: WorkflowKit;
  readonly begun: Map<string, number>;
  readonly end: () => void;
} {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = new Map<string, number>();
  const workflow = createWorkflow({
    id: 'mixed',
    input: Type.Object({ by: Type.String(), isSlow: Type.Boolean() }),
  }).andThen({
    id: 'work',
    execute: async ({ data: { by, isSlow } }) => {
      begun.set(by, (begun.get(by) ?? 0) + 1);
      if (isSlow) await promise;
      return 'done';
    },
  });
  return { kit: new WorkflowKit(workflow), begun, end: resolve };
}

const slow = (by: string): object => ({ by, isSlow: true });
const trivial = (by: string): object => ({ by, isSlow: false });

it('runs a trivial execution of a user at once while 300 slow ones of another user run and wait', async () => {
  const { begun, end, kit } = slowAndTrivial();
  for (let started = 0; started < 300; started += 1) await kit.begin(slow('busy'), { userId: 'busy' });
  expect(begun.get('busy')).toBe(129);

  expect((await kit.run(trivial('other'), { userId: 'other' })).status).toBe('completed');
  expect(begun.get('busy')).toBe(129);
  end();
});

it('shares slots by the subject of the caller when the caller has no user', async () => {
  const { begun, end, kit } = slowAndTrivial();
  for (let started = 0; started < 200; started += 1) await kit.begin(slow('busy'), { subject: 'address:192.0.2.1' });
  expect(begun.get('busy')).toBe(129);

  expect((await kit.run(trivial('other'), { subject: 'address:192.0.2.2' })).status).toBe('completed');
  end();
});

it('shares slots between the users of executions that it takes over from the storage', async () => {
  const { begun, end, kit } = slowAndTrivial();
  for (let started = 0; started < 300; started += 1)
    await kit.begin(slow('busy'), { userId: 'busy', startAfterMs: 1_000, priority: 5 });
  await kit.begin(trivial('other'), { userId: 'other', startAfterMs: 1_000 });
  await kit.advance(1_000);

  expect([begun.get('busy'), begun.get('other')]).toEqual([129, 1]);
  end();
});

it('refuses starts of a user of whom many executions of the workflow wait, and no others', async () => {
  const { end, kit } = slowAndTrivial();
  const [workflow] = kit.runtime.workflows;
  if (workflow === undefined) expect.fail('there is no workflow');
  const runtime = new WorkflowRuntime({
    workflows: [workflow],
    storage: kit.storage,
    services: kit.services,
    queue: { maxWaiting: 2 },
  });
  for (let started = 0; started < 2; started += 1) await runtime.begin('mixed', slow('busy'), { userId: 'busy' });
  const refused = { kind: 'rate-limited', code: 'TOO_MANY_EXECUTIONS' };
  await expect(runtime.begin('mixed', slow('busy'), { userId: 'busy' })).rejects.toMatchObject(refused);
  await expect(runtime.execute('mixed', slow('busy'), { userId: 'busy' })).rejects.toMatchObject(refused);
  await runtime.begin('mixed', slow('other'), { userId: 'other' });
  for (let started = 0; started < 3; started += 1) await runtime.begin('mixed', slow('none'));
  await kit.advance(1);
  await runtime.begin('mixed', slow('busy'), { userId: 'busy' });
  end();
});

it('shares slots between the users of executions that an event wakes', async () => {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const woken: string[] = [];
  const workflow = createWorkflow({ id: 'waits' })
    .andWaitForEvent({ id: 'wait', event: 'go' })
    .andThen({
      id: 'work',
      execute: async ({ context }) => {
        woken.push(String(context['by']));
        if (context['by'] === 'busy') await promise;
      },
    });
  const kit = new WorkflowKit(workflow);
  for (let started = 0; started < 300; started += 1) await kit.begin(null, { userId: 'busy', context: { by: 'busy' } });
  await kit.begin(null, { userId: 'other', context: { by: 'other' } });
  await kit.runtime.publish({ name: 'go' });
  await kit.settle();
  expect(woken.filter((by) => by === 'busy')).toHaveLength(129);
  expect(woken).toContain('other');
  end();
});

it('counts started and continued executions for the caller of the first one', async () => {
  const again = createWorkflow({ id: 'again' }).andThen({
    id: 'go',
    execute: ({ context, continueAsNew }) => (context['isLast'] === true ? 'done' : continueAsNew({})),
  });
  const child = createWorkflow({ id: 'child' }).andThen({ id: 'go', execute: () => 'done' });
  const parent = createWorkflow({ id: 'parent' }).andStart({ id: 'start', workflow: child });
  const kit = new WorkflowKit(parent, again, child);
  const subjects: (string | undefined)[] = [];
  const create = kit.storage.executions.create.bind(kit.storage.executions);
  kit.storage.executions.create = async (execution, options) => {
    subjects.push(options.subject);
    // The second one does not continue.
    const context = { ...execution.context, isLast: subjects.length > 1 };
    return create({ ...execution, context }, options);
  };
  await kit.runtime.begin('again', null, { subject: 'address:a' });
  await kit.settle();
  await kit.runtime.begin('parent', null, { subject: 'address:b' });
  await kit.settle();
  expect(subjects).toEqual(['address:a', 'address:a', 'address:b', 'address:b']);
});
