import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { chooseModel } from '@halyard/example-demo-model';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { createHarbourForUsers } from './server.ts';

/**
 * Starts both processes of the app: the Halyard server, which only Next.js reaches, and Next.js. In
 * production each is a service of its own.
 */
const [mode = 'dev', port = '3000', dataDir = fileURLToPath(new URL('../.halyard/', import.meta.url))] =
  process.argv.slice(2);
const connectionString = process.env['DATABASE_URL']?.trim() || undefined;
const storage = createPostgresStorage(connectionString === undefined ? { dataDir } : { connectionString });
const secret = process.env['JWT_SECRET']?.trim() || randomBytes(32).toString('base64url');
const { label, model } = await chooseModel();
const harbour = await createHarbourForUsers(model, storage, secret);

const children: ChildProcess[] = [];
harbour.app.addHook('onClose', async () => {
  for (const child of children) child.kill();
  await storage.close();
});
const url = await harbour.listen({ host: '127.0.0.1', port: 0 });

const program = createRequire(import.meta.url).resolve('next/dist/bin/next');
const next = spawn(process.execPath, [program, mode, '--hostname', '127.0.0.1', '--port', port], {
  cwd: fileURLToPath(new URL('../', import.meta.url)),
  stdio: 'inherit',
  env: { ...process.env, HALYARD_URL: url, JWT_SECRET: secret, NEXT_TELEMETRY_DISABLED: '1' },
});
children.push(next);
// Without Next.js, the server has nobody to serve.
next.once('exit', () => void harbour.close());
console.log(`\n  Harbour desk uses the ${label}. Next.js says below where it is.\n`);
