import { createPostgresStorage } from '../postgres-storage.ts';
import { runConversation } from './conversation-workload.ts';
import { runSteps } from './steps-workload.ts';

/**
 * A process with an embedded database. It prints acknowledged writes until it is killed. Arguments:
 * the directory, and a prefix for ids.
 */
const [dataDir = '', name = ''] = process.argv.slice(2);
const storage = createPostgresStorage({ dataDir });
let count = 0;
for (;;) {
  const [execution] = await runSteps(storage.executions, { name: `${name}-${count}`, steps: 3, shouldStop: once() });
  const conversation = await runConversation(storage, `${name}-${count}`, 2);
  count += 1;
  process.stdout.write(`${JSON.stringify({ execution, conversation })}\n`);
}

function once(): () => boolean {
  let isOver = false;
  return () => {
    if (isOver) return true;
    isOver = true;
    return false;
  };
}
