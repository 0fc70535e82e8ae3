import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Sample } from './samples.ts';

/** The exit of a sample's process. */
export interface ExitResult {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

const limitMs = 20_000;

/** Runs a sample until it exits. */
export async function runSample(sample: Sample): Promise<ExitResult> {
  return start(sample, ['--conditions=@halyard/source']).ended;
}

/**
 * Runs a sample that starts a server: waits until it listens, requests `path`, and sends SIGTERM.
 *
 * The server listens on a free port, whatever port the sample uses.
 */
export async function runServerSample(sample: Sample, path: string): Promise<ExitResult & { readonly status: number }> {
  const anyPort = new URL('any-port.ts', import.meta.url).href;
  const { child, ended } = start(sample, ['--conditions=@halyard/source', `--import=${anyPort}`]);
  const origin = await Promise.race([once(child, 'message').then(([address]) => String(address)), ended]);
  if (typeof origin !== 'string') return { ...origin, status: 0 };

  const { status } = await fetch(`${origin}${path}`);
  child.kill('SIGTERM');
  return { ...(await ended), status };
}

function start(
  { file }: Sample,
  execArgv: readonly string[],
): { readonly child: ChildProcess; readonly ended: Promise<ExitResult> } {
  // Providers require a key when they are created. No sample calls a provider.
  const env = { ...process.env, OPENAI_API_KEY: 'test', NODE_ENV: 'development' };
  const child = fork(file, {
    execArgv: [...execArgv],
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    timeout: limitMs,
  });
  const output = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const ended = new Promise<Omit<ExitResult, 'stderr'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  }).then(async (ending) => ({ ...ending, stderr: await output }));
  return { child, ended };
}
