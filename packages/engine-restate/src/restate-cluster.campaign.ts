import { expect, it, onTestFinished } from 'vitest';
import { runTrial } from './testing/cluster-trial.ts';
import { RestateCluster } from './testing/restate-cluster.ts';
import { shipmentWorkflow } from './testing/shipment-workflow.ts';

const executions = Number(process.env['HALYARD_EXECUTIONS'] ?? 2_000);
/** How long nodes and workers fail. */
const minutes = Number(process.env['HALYARD_MINUTES'] ?? 20);
const seed = Number(process.env['HALYARD_SEED'] ?? 7);

it(`completes ${executions} executions once while nodes and workers are killed and paused, seed ${seed}`, async () => {
  const cluster = await RestateCluster.start(() => [shipmentWorkflow()], {
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '5s',
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '10s',
  });
  onTestFinished(() => cluster.close());
  const startedAt = performance.now();
  const { faults, quarantined, wrong } = await runTrial(cluster, {
    executions,
    atOnce: 60,
    faultsMs: minutes * 60_000,
    seed,
    patienceMs: 300_000,
  });
  console.log(`${executions} executions in ${Math.round((performance.now() - startedAt) / 1_000)} s`, faults, {
    quarantined,
  });
  expect([...wrong].map((one) => one.join(' '))).toEqual([]);
});
