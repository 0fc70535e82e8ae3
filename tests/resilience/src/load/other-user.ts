/**
 * A user who sends one request after the other until told to stop, in a thread of its own: one that
 * also sends many requests would measure itself.
 */
import { parentPort, workerData } from 'node:worker_threads';

export interface OtherUser {
  readonly url: string;
  readonly body: string;
}

/** What the thread sends at its end. */
export interface OtherUserSaw {
  /** Milliseconds that each reply took. */
  readonly delays: readonly number[];
  readonly statuses: readonly number[];
}

const { body, url } = workerData as OtherUser;
const delays: number[] = [];
const statuses = new Set<number>();
let isOver = false;
parentPort?.once('message', () => (isOver = true));
const headers = { 'content-type': 'application/json', authorization: 'Bearer other' };
while (!isOver) {
  const from = performance.now();
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.text();
  delays.push(performance.now() - from);
  statuses.add(response.status);
}
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage({ delays, statuses: [...statuses] } satisfies OtherUserSaw);
