import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isHalyardError } from '@halyard/contracts';
import { chooseModel } from '@halyard/example-demo-model';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createHarbour, type Harbour } from './server.ts';

/**
 * The server of this example as its settings describe it: `DATABASE_URL`, or `--data-dir` with an
 * embedded database.
 */
export async function openHarbour(args: {
  readonly dataDir?: string | undefined;
}): Promise<{ harbour: Harbour; screen: string }> {
  const { hint, label, model } = await chooseModel();
  const connectionString = process.env['DATABASE_URL']?.trim() || undefined;
  const dataDir = args.dataDir ?? fileURLToPath(new URL('../.halyard/', import.meta.url));
  const storage = createPostgresStorage(connectionString === undefined ? { dataDir } : { connectionString });
  const harbour = await createHarbour(model, storage);
  harbour.app.addHook('onClose', () => storage.close());
  const screen = `  Model     ${label}${hint === undefined ? '' : `\n            ${hint}`}\n`;
  return { harbour, screen };
}

/** `--port 4000`, `--data-dir /tmp/data`. */
export function readArguments(): { readonly port: number | undefined; readonly dataDir: string | undefined } {
  const { values } = parseArgs({ options: { port: { type: 'string' }, 'data-dir': { type: 'string' } } });
  return { port: values.port === undefined ? undefined : Number(values.port), dataDir: values['data-dir'] };
}

/**
 * Ends the process with a sentence instead of a stack for what the person can mend, such as a port
 * in use.
 */
export async function orExplain(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!isHalyardError(error)) throw error;
    console.error(`\n  ${error.message}\n`);
    process.exit(1);
  }
}
