import { parseArgs } from 'node:util';
import { isHalyardError } from '@halyard/contracts';
import { chooseModel } from '@halyard/example-demo-model';
import { beginHistory } from './history/begin-history.ts';
import { createDeskMemory } from './memory.ts';
import { createSupportDesk } from './server.ts';
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
  const opened = openStorage(undefined, args['data-dir']);
  const { storage, vectors } = opened;
  // Everybody knows this secret: set another one where others can reach the server.
  const secret = process.env['HALYARD_SECRET']?.trim() || 'the support desk of Kestrel';
  await storage.opened?.();
  await vectors.opened?.();
  await beginHistory(opened, secret);

  const memory = createDeskMemory(storage, vectors);
  const server = await createSupportDesk({ model, memory, storage, secret });
  server.app.addHook('onClose', () => opened.close());
  const url = await server.listen(args.port === undefined ? {} : { port: Number(args.port) });
  console.log(startScreen({ url, model: label, memory: opened.label, ...(hint !== undefined && { hint }) }));
}
