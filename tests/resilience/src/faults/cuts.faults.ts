/**
 * Three replicas whose database connections are cut at random, after a commit and before its result
 * arrives.
 */
import { CuttingProxy } from './harness/cutting-proxy.ts';
import { runDisturbed } from './harness/run-disturbed.ts';
import { runScript } from './harness/run-script.ts';

await runScript({
  name: 'cuts',
  plants: { 'new-commit-id': /in the journal \d+ times|was emitted \d+ times/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const isSmall = plant !== undefined;
    // The store retries once by itself, so only two cuts in a row reach the runner.
    const proxy = new CuttingProxy(random.fork(), isShort ? 0.2 : 0.1);
    await proxy.listen();
    try {
      const outcome = await runDisturbed({
        random,
        plant,
        connectionStringFor: ({ connectionString }) => proxy.addressOf(connectionString),
        disturb: async () => {
          await proxy.nextCut();
          return undefined;
        },
        calm: async () => proxy.stopCutting(),
        isStrict: false,
        disturbances: isSmall ? 60 : number('cuts', isShort ? 100 : 2_000),
        waitMs: [0, 0],
        executions: isSmall ? 40 : number('executions', isShort ? 100 : 2_000),
        concurrency: number('concurrency', isShort ? 20 : 40),
        bodyMs: isShort ? 100 : 150,
        patienceMs: isSmall ? 20_000 : 300_000,
      });
      return { ...outcome, figures: { ...outcome.figures, cuts: proxy.cuts } };
    } finally {
      await proxy.close();
    }
  },
});
