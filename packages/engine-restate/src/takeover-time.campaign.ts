import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { orderWorkflow } from './testing/order-workflow.ts';
import { RestateCluster } from './testing/restate-cluster.ts';

const rounds = 7;

/** The bound is that of PostgreSQL. `benchmarks/engine/side-by-side.ts` measures that. */
it.each([1, 3] as const)('continues within 2 s what a killed process ran, on %i node(s)', async (nodes) => {
  const cluster = await RestateCluster.start((directory) => [orderWorkflow(directory)], {}, nodes);
  onTestFinished(() => cluster.close());
  const { directory, runtime } = cluster;
  const log = `${directory}/steps.log`;
  const took: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    writeFileSync(log, '');
    const executionId = await runtime.begin('order', {});
    const [pid = 0] = await slowIn(log, 1);
    const index = [0, 1, 2].find((worker) => cluster.worker(worker).pid === pid) ?? expect.fail();
    const killedAt = performance.now();
    await cluster.worker(index).kill();
    await slowIn(log, 2);
    took.push(performance.now() - killedAt);
    writeFileSync(`${directory}/go`, '');
    const result = await runtime.wait({ owner: 'anyone', executionId }, { until: 'ended' });
    expect(result.status).toBe('completed');
    rmSync(`${directory}/go`);
    await cluster.restartWorker(index);
  }
  const sorted = took.map(Math.round).toSorted((one, other) => one - other);
  console.log(`takeover with ${nodes} node(s): median ${sorted[(rounds - 1) / 2]} ms`, sorted);
  expect(sorted[(rounds - 1) / 2]).toBeLessThan(2_000);
});

/** Waits until the slow step has begun so many times. @returns the processes. */
async function slowIn(log: string, times: number): Promise<readonly number[]> {
  for (;;) {
    const lines = readFileSync(log, 'utf8').split('\n');
    const pids = lines.filter((line) => line.startsWith('slow ')).map((line) => Number(line.split(' ').at(-1)));
    if (pids.length >= times) return pids;
    await delay(5);
  }
}
