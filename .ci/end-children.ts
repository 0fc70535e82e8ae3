// Ends every process that tests start, directly or through others, when their own process ends,
// also by SIGKILL: servers, databases and browsers do not notice that themselves. Vitest calls
// it as a global setup, and the programs of tests call it first. Linux only.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';

/** All processes inherit this variable, which identifies them. */
const mark = 'HALYARD_TEST_RUN';
const program = fileURLToPath(new URL('end-children-process.ts', import.meta.url));

export function setup(): void {
  if (process.platform !== 'linux') return;
  // Vitest calls it for each project.
  if (process.env[mark]?.startsWith(`${process.pid}.`) === true) return;
  const run = `${process.pid}.${randomUUID()}`;
  // A signal to the process group, such as Ctrl+C, must not reach it, nor the end of an outer run.
  const watcher = spawn(process.execPath, [program, `${mark}=${run}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, [mark]: undefined },
  });
  watcher.once('error', (error) => console.error('Processes of tests may remain:', error));
  watcher.unref();
  process.env[mark] = run;
}
