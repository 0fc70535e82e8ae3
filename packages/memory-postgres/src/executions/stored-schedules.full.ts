import { silentLogger } from '@halyard/contracts';
import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { afterEach, expect, it } from 'vitest';
import { embeddedForTests } from '../testing/embedded-template.ts';
import { openForTests } from '../testing/open-for-test.ts';

const database = openForTests(embeddedForTests);
const stopping: WorkflowRuntime[] = [];

afterEach(async () => {
  for (const runtime of stopping.splice(0)) await runtime.stop(0);
});

const remind = createWorkflow({ id: 'remind' }).andThen({ id: 'send', execute: () => 'sent' });

function startProcess(): WorkflowRuntime {
  const { storage } = database;
  const runtime = new WorkflowRuntime({ workflows: [remind], storage, services: { logger: silentLogger } });
  runtime.start();
  stopping.push(runtime);
  return runtime;
}

it('starts one execution for each tick in several processes, until it is changed, and leaves with its user', async () => {
  const [first, second] = [startProcess(), startProcess()];
  const key = { id: 'often', userId: 'ada' };
  const settings = { ...key, workflowId: 'remind', everyMs: 1_000, metadata: { kind: 'x' } };
  const sets = [first, second].map((runtime) => runtime.schedules.set(settings));
  await Promise.all(sets);
  const ticks = async (): Promise<readonly unknown[]> => {
    const { executions } = await first.list({ owner: { user: 'ada' }, workflowId: 'remind', metadata: { kind: 'x' } });
    return executions.map(({ metadata }) => metadata['scheduledFor']);
  };
  await expect.poll(async () => (await ticks()).length).toBeGreaterThan(2);
  await first.stop(0);
  const before = (await ticks()).length;
  await expect.poll(async () => (await ticks()).length).toBeGreaterThan(before + 1);
  expect(new Set(await ticks()).size).toBe((await ticks()).length);

  expect(await second.schedules.pause(key)).toMatchObject({ isPaused: true, nextAt: null });
  expect((await second.schedules.list({ owner: { user: 'ada' } })).schedules).toMatchObject([{ id: 'often' }]);
  expect(await second.schedules.resume(key)).toMatchObject({ isPaused: false, metadata: { kind: 'x' } });
  const resumed = (await ticks()).length;
  await expect.poll(async () => (await ticks()).length).toBeGreaterThan(resumed);

  await database.storage.users.delete('ada');
  await second.endDeleted();
  await expect(second.schedules.get(key)).rejects.toMatchObject({ code: 'SCHEDULE_NOT_FOUND' });
});
