import { type ChildProcess, spawn } from 'node:child_process';

/** A program of a document that has ended, or that listens and runs until it is stopped. */
export type StartedSample =
  | { readonly kind: 'ended'; readonly exitCode: number | null; readonly output: string }
  | { readonly kind: 'listens'; readonly url: string; stop(): Promise<EndedSample> };

export interface EndedSample {
  readonly exitCode: number | null;
  readonly output: string;
}

const limitMs = 600_000;

/** Runs `node <arguments>` until it ends or logs the address at which it listens. */
export async function startSample(
  node: string,
  args: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<StartedSample> {
  const child = spawn(node, [...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs });
  let output = '';
  const listening = new Promise<string>((resolve) => {
    const read = (text: string): void => {
      output += text;
      const [, url] = /listening at (http:\/\/[^\s"]+?)\/?(?:["\s]|$)/m.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
  });
  const exited = exitOf(child);
  const first = await Promise.race([listening, exited]);
  if (typeof first !== 'string') return { kind: 'ended', exitCode: first.exitCode, output };
  return {
    kind: 'listens',
    url: first,
    stop: async () => {
      child.kill('SIGTERM');
      return { exitCode: (await exited).exitCode, output };
    },
  };
}

function exitOf(child: ChildProcess): Promise<{ readonly exitCode: number | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode }));
  });
}
