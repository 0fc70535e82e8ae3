import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `getconf CLK_TCK` of Linux. */
const ticksPerSecond = 100;

export interface MeasuredServer {
  readonly url: string;
  /** The CPU time that the process has used, of all its threads, in seconds. */
  readonly cpuSeconds: () => number;
  readonly stop: () => Promise<void>;
}

/** Starts `app.ts` as a process of its own. */
export async function startMeasuredServer(...args: readonly string[]): Promise<MeasuredServer> {
  const script = fileURLToPath(new URL('app.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=@halyard/source', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const ended = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  child.stdout.resume();
  return {
    url: line.toString().trim(),
    cpuSeconds: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
    },
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
