import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import type { OtherUser, OtherUserSaw } from './other-user.ts';
import type { Delays } from './shared-process.ts';

/** The server of `shared-process.ts`, in a process of its own. */
export interface SharedServer {
  readonly origin: string;
  /** @returns the status of the reply. */
  readonly post: (user: string, path: string, body: object | string) => Promise<number>;
  /**
   * How long requests of another user take, one after the other, until `work` has ended. In
   * ascending order.
   */
  readonly delaysDuring: (work: Promise<unknown>, path: string, body: object) => Promise<readonly number[]>;
  /** What the server measured since the last call. */
  readonly report: () => Promise<Delays>;
  readonly close: () => Promise<void>;
}

export async function startSharedServer(): Promise<SharedServer> {
  const child = fork(fileURLToPath(new URL('shared-process.ts', import.meta.url)), {
    execArgv: ['--conditions=@halyard/source'],
  });
  const [origin] = (await once(child, 'message')) as [string];

  return {
    origin,
    post: async (user, path, body) => {
      const response = await fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${user}` },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      await response.text();
      return response.status;
    },
    delaysDuring: async (work, path, body) => {
      const workerData: OtherUser = { url: `${origin}${path}`, body: JSON.stringify(body) };
      const other = new Worker(new URL('other-user.ts', import.meta.url), {
        execArgv: ['--conditions=@halyard/source'],
        workerData,
      });
      await work;
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      other.postMessage('stop');
      const [{ delays, statuses }] = (await once(other, 'message')) as [OtherUserSaw];
      expect(statuses).toEqual([200]);
      return delays.toSorted((one, another) => one - another);
    },
    report: async () => {
      child.send('report');
      const [delays] = (await once(child, 'message')) as [Delays];
      return delays;
    },
    close: async () => {
      const exited = once(child, 'exit');
      child.send('close');
      await exited;
    },
  };
}
