import { runHeldWorkflow } from './held-workflow.ts';

/**
 * A process that starts an execution whose step never ends, and prints its runner and the execution
 * when the step runs. The argument is the connection string.
 */
const [connectionString = ''] = process.argv.slice(2);
const started = Promise.withResolvers<void>();
const { runtime } = runHeldWorkflow(connectionString, () => {
  started.resolve();
  return Promise.withResolvers().promise;
});
const executionId = await runtime.begin('held', {});
await started.promise;
process.stdout.write(`${JSON.stringify({ runner: runtime.runner, executionId })}\n`);
setInterval(() => {}, 60_000);
