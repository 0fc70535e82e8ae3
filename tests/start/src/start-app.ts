import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** How a process ended. */
export interface EndedApp {
  readonly code: number | null;
  readonly stderr: string;
}

/**
 * Runs the code of an app in a process of its own, until it ends. Its imports resolve as in this package.
 *
 * @param output `closed`: the standard output is a pipe whose reader is gone.
 */
export async function startApp(
  code: string,
  env: NodeJS.ProcessEnv = {},
  output: 'ignored' | 'closed' = 'ignored',
): Promise<EndedApp> {
  const { HOST: _host, PORT: _port, ...inherited } = process.env;
  const app = spawn(
    process.execPath,
    ['--conditions=@halyard/source', '--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code],
    {
      cwd: import.meta.dirname,
      env: { ...inherited, NODE_ENV: 'test', ...env },
      stdio: ['ignore', output === 'closed' ? 'pipe' : 'ignore', 'pipe'],
      timeout: 30_000,
      killSignal: 'SIGKILL',
    },
  );
  app.stdout?.destroy();
  if (app.stderr === null) throw new Error('The standard error is a pipe');
  const [stderr] = await Promise.all([text(app.stderr), once(app, 'exit')]);
  return { code: app.exitCode, stderr };
}
