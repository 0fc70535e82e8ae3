import { silentLogger } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { createWorkflow } from '../create-workflow.ts';
import { WorkflowRuntime } from '../engine/workflow-runtime.ts';
import { Gate } from '../testing/gate.ts';

it('waits for the result of another process while this one has no free slot', async () => {
  const storage = createInMemoryStorage();
  const gate = new Gate();
  const workflow = createWorkflow({ id: 'w' }).andThen({
    id: 'work',
    execute: async (context) => {
      if (context.input === 'long') await gate.pass(context);
      return 'made';
    },
  });
  const open = (): WorkflowRuntime => {
    const queue = { concurrency: 1 };
    const runtime = new WorkflowRuntime({ workflows: [workflow], storage, queue, services: { logger: silentLogger } });
    onTestFinished(() => runtime.stop(0));
    return runtime;
  };
  const [busy, free] = [open(), open()];
  busy.startByHand();
  await busy.begin('w', 'long');
  await gate.entered;
  const begun = Promise.withResolvers<string>();
  const result = busy.execute('w', 'short', {}, { onBegun: begun.resolve });
  await begun.promise;

  free.startByHand();
  await free.sweep();

  expect(await result).toMatchObject({ status: 'completed', result: 'made' });
  gate.open();
});
