import { createPostgresStorage } from '../postgres-storage.ts';
import { runSteps } from './steps-workload.ts';

/** A process with an embedded database: tells what was acknowledged until it is ended. Arguments: the directory, and a name for what it makes. */
const [dataDir = '', name = ''] = process.argv.slice(2);
const { executions } = createPostgresStorage({ dataDir });
let count = 0;
for (;;) {
  const [acknowledged] = await runSteps(executions, { name: `${name}-${count}`, steps: 3, shouldStop: once() });
  count += 1;
  process.stdout.write(`${acknowledged?.id}\n`);
}

function once(): () => boolean {
  let isOver = false;
  return () => {
    if (isOver) return true;
    isOver = true;
    return false;
  };
}
