import { createWorkflow, WorkflowRuntime } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, onTestFinished } from 'vitest';
import { createRestateEngine } from './create-restate-engine.ts';
import { freePorts, RestateServer } from './testing/restate-server.ts';

const approval = createWorkflow({ id: 'approval' }).andThen({
  id: 'ask',
  execute: ({ resumeData, suspend }) => resumeData ?? suspend('needs approval'),
});

it('deletes and exports executions that were just started, while the lists lag', async () => {
  const restate = await RestateServer.start();
  onTestFinished(() => restate.close());
  const shared = createInMemoryStorage();
  const listed = Promise.withResolvers<void>();
  const { executionMirror: mirror = expect.fail('no mirror') } = shared;
  let writes = 0;
  const late = new Proxy(mirror, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]): Promise<unknown> => {
        if (name === 'write') {
          writes += 1;
          await listed.promise;
        }
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
  const [port, other] = await freePorts();
  const open = async (ofPort: number, executionMirror: typeof mirror) => {
    const engine = createRestateEngine({ ingress: restate.ingress, serve: { port: ofPort, host: '127.0.0.1' } });
    const storage = await engine.open({ ...shared, executionMirror }, { logger: silentLogger });
    onTestFinished(() => storage.executions.disconnect());
    const runtime = new WorkflowRuntime({ workflows: [approval], storage, services: { logger: silentLogger } });
    onTestFinished(() => runtime.stop(0));
    return { runtime, storage };
  };
  // Restate calls this process only: it writes what changes to the lists.
  const worker = await open(port, late);
  worker.runtime.start();
  await restate.register(port);
  const { runtime, storage } = await open(other, mirror);

  const ids = await Promise.all(['a', 'b', 'c'].map((id) => runtime.begin('approval', { id }, { userId: 'ada' })));
  const eves = await runtime.begin('approval', {}, { userId: 'eve' });
  const exported: unknown[] = [];
  for await (const record of storage.users.export('ada'))
    if (record.type === 'execution') exported.push(record.execution.id);
  expect(new Set(exported)).toEqual(new Set(ids));
  expect(await storage.users.delete('ada')).toMatchObject({ executions: 3 });
  for (const id of ids) expect(await storage.executions.find('anyone', id)).toBeUndefined();
  expect(await storage.executions.find('anyone', eves)).toBeDefined();

  // What was on its way to the lists does not bring them back.
  await expect.poll(() => writes).toBeGreaterThan(3);
  listed.resolve();
  const pending =
    "select id from sys_invocation where target_service_name = 'HalyardLists' and status <> 'completed' limit 1";
  await expect.poll(() => restate.query(pending)).toEqual([]);
  const { executions } = await runtime.list({ owner: 'anyone' });
  expect(executions.map(({ id }) => id)).toEqual([eves]);
});
