import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isHalyardError, type Storage } from '@halyard/contracts';
import { chooseModel } from '@halyard/example-demo-model';
import { createQuickstart } from './server.ts';
import { startScreen } from './start-screen.ts';
import { openStorage } from './storage.ts';

try {
  await start();
} catch (error) {
  if (!isHalyardError(error)) throw error;
  console.error(`\n  ${error.message}\n`);
  process.exit(1);
}

/** Command-line options: `--port 4000`, `--data-dir /tmp/data`. */
async function start(): Promise<void> {
  const { values: args } = parseArgs({ options: { port: { type: 'string' }, 'data-dir': { type: 'string' } } });
  const { hint, label, model } = await chooseModel();
  const { label: memory, storage } = openStorage(undefined, args['data-dir']);
  const server = await createQuickstart(model, storage);
  server.app.addHook('onClose', () => storage.close());

  const url = await server.listen(args.port === undefined ? {} : { port: Number(args.port) });
  console.log(startScreen({ url, model: label, memory, ...(hint !== undefined && { hint }) }));
  await reportOpening(storage);
}

/** The server listens while its database is opened. Creating the database takes some seconds. */
async function reportOpening(storage: Storage): Promise<void> {
  const startedAt = performance.now();
  const opening = storage.conversations.isTaken('').then(
    () => true,
    () => false,
  );
  if (await Promise.race([opening, delay(1_000, false, { ref: false })])) return;
  console.log('  The database is being opened. Requests that need it wait …');
  if (await opening)
    console.log(`  The database is ready after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.\n`);
}
