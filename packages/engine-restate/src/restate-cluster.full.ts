import { expect, it, onTestFinished } from 'vitest';
import { runTrial } from './testing/cluster-trial.ts';
import { RestateCluster } from './testing/restate-cluster.ts';
import { shipmentWorkflow } from './testing/shipment-workflow.ts';

it('completes executions once while nodes and workers of a cluster are killed and paused', async () => {
  const cluster = await RestateCluster.start(() => [shipmentWorkflow()], {
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: '2s',
    RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: '5s',
  });
  onTestFinished(() => cluster.close());
  const { wrong } = await runTrial(cluster, { executions: 12, atOnce: 6, seed: 3, patienceMs: 120_000 });
  expect([...wrong].map((one) => one.join(' '))).toEqual([]);
});
