import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WorkflowReport } from './workflow-process.ts';

let child: ChildProcess;
beforeEach(async () => {
  child = fork(fileURLToPath(new URL('workflow-process.ts', import.meta.url)), {
    execArgv: ['--conditions=@halyard/source', '--expose-gc'],
  });
  await once(child, 'message');
});
afterEach(async () => {
  const exited = once(child, 'exit');
  child.kill();
  await exited;
});

async function run(name: 'trivial' | 'approval', count: number): Promise<WorkflowReport> {
  child.send({ run: name, count });
  const [report] = (await once(child, 'message')) as [WorkflowReport];
  return report;
}

it('uses about 2 kB and no timer for a suspended execution', async () => {
  const before = await run('approval', 500);
  const after = await run('approval', 10_000);

  expect((after.heapUsed - before.heapUsed) / 10_000).toBeLessThan(2_500);
  // The one timer of a runtime may be there or not.
  expect(after.timers).toBeLessThanOrEqual(before.timers + 1);
});

it('uses no more memory after 100 000 finished executions than after 20 000', async () => {
  const before = await run('trivial', 20_000);
  const after = await run('trivial', 80_000);

  expect(after.heapUsed / before.heapUsed).toBeLessThan(1.05);
  // The one timer of a runtime may be there or not.
  expect(after.timers).toBeLessThanOrEqual(before.timers + 1);
});
