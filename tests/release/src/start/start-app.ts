import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** How a process ended. */
export interface EndedApp {
  readonly code: number | null;
  readonly stderr: string;
  /** Empty unless it is read. */
  readonly stdout: string;
}

/** The reader of the standard output: there is none, it reads, it is gone, or it never reads. */
type Reader = 'none' | 'reads' | 'gone' | 'stalled';

/**
 * Runs the code of an app in a process of its own, until it ends. Its imports resolve as in this
 * package.
 */
export async function startApp(code: string, env: NodeJS.ProcessEnv = {}, reader: Reader = 'none'): Promise<EndedApp> {
  const { HOST: _host, PORT: _port, ...inherited } = process.env;
  const app = spawn(
    process.execPath,
    ['--conditions=@halyard/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code],
    {
      cwd: import.meta.dirname,
      env: { ...inherited, NODE_ENV: 'test', ...env },
      stdio: ['ignore', reader === 'none' ? 'ignore' : 'pipe', 'pipe'],
      // A busy machine does not reach it.
      timeout: 170_000,
      killSignal: 'SIGKILL',
    },
  );
  if (reader === 'gone') app.stdout?.destroy();
  const stdout = reader === 'reads' && app.stdout !== null ? text(app.stdout) : '';
  if (app.stderr === null) throw new Error('The standard error is a pipe');
  const ended = once(app, 'exit');
  const stderr = await text(app.stderr);
  await ended;
  return { code: app.exitCode, stderr, stdout: await stdout };
}
