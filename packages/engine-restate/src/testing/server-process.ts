import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ServerProcess {
  readonly url: string;
  kill(): Promise<void>;
}

/**
 * Starts a server that prints its address.
 *
 * @param closing ends the process later.
 */
export async function startServerProcess(
  script: URL,
  args: readonly string[],
  closing: (() => Promise<unknown>)[],
): Promise<ServerProcess> {
  const child: ChildProcess & { readonly stdout: NodeJS.ReadableStream } = spawn(
    process.execPath,
    ['--conditions=@halyard/source', fileURLToPath(script), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  closing.push(kill);
  const exited = once(child, 'exit').then(() => Promise.reject(new Error('The server has exited')));
  exited.catch(() => {});
  const [output] = (await Promise.race([once(child.stdout, 'data'), exited])) as [Buffer];
  return { url: output.toString().trim(), kill };
}
