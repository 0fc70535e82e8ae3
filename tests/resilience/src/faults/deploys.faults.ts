/**
 * Rolling deploys of an app whose workflow changes: no step is skipped, and no execution ends
 * because a replica has another version.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster } from './harness/cluster.ts';
import type { Replica } from './harness/replica-process.ts';
import { runScript } from './harness/run-script.ts';

const patienceMs = 180_000;

await runScript({
  name: 'deploys',
  plants: { 'any-definition': /was not charged/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const size = number('executions', isShort ? 8 : 100);
    const cluster = await startCluster({ random, plant, leaseMs: 1_500 });
    const { client, replicas } = cluster;
    const problems: string[] = [];
    const path = (id: string): string => `/workflows/deployed/executions/${id}`;
    const start = async (release: number, replica: Replica): Promise<readonly string[]> => {
      const ids = Array.from({ length: size }, (_, index) => `from-${release}-${index}`);
      for (const id of ids)
        await client.ask('/workflows/deployed/execute', {
          body: { input: { n: 1 }, options: { executionId: id } },
          replica,
        });
      for (const id of ids) await stateOf(id, ({ status }) => status === 'suspended');
      return ids;
    };
    const stateOf = async (id: string, isEnough: (state: State) => boolean): Promise<State> => {
      const until = performance.now() + patienceMs;
      for (;;) {
        const { data } = await client.ask(path(id));
        const state = data as State;
        if (isEnough(state) || performance.now() > until) return state;
        await delay(50);
      }
    };
    const deploy = async (replica: Replica, release: number): Promise<void> => {
      await replica.signal('SIGTERM');
      await replica.start({ release });
    };
    const resume = async (ids: readonly string[], results: readonly string[]): Promise<void> => {
      // Each answer goes to any replica, whatever version of the workflow it has.
      await Promise.all(ids.map((id) => client.ask(`${path(id)}/resume`, { body: { resumeData: 'yes' } })));
      for (const id of ids) {
        const { output, status } = await stateOf(id, (state) => state.status !== 'running');
        if (status !== 'completed') problems.push(`${id} is ${status}`);
        else if (!results.includes(String(output)))
          problems.push(`${id} was not charged: it ended with ${String(output)}`);
      }
    };
    const [a, b, c] = replicas;
    if (a === undefined || b === undefined || c === undefined)
      return { figures: { executions: 0 }, problems: ['replicas are missing'] };
    try {
      const old = await start(1, b);
      await deploy(a, 2);
      const appended = await start(2, a);
      await resume(old.slice(0, size / 2), ['asked', 'charged']);
      await resume(appended.slice(0, size / 2), ['charged']);
      await deploy(b, 2);
      await deploy(c, 3);
      const breaking = await start(3, c);
      await resume(old.slice(size / 2), ['charged']);
      await resume(appended.slice(size / 2), ['charged']);
      await resume(breaking.slice(0, size / 2), ['charged']);
      await deploy(a, 3);
      await deploy(b, 3);
      await resume(breaking.slice(size / 2), ['charged']);
      return { figures: { executions: size * 3 }, problems };
    } finally {
      await cluster.close();
    }
  },
});

interface State {
  readonly status: string;
  readonly output?: unknown;
}
