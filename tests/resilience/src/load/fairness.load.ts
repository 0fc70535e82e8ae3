import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { OtherUser, OtherUserSaw } from './other-user.ts';
import type { Delays } from './shared-process.ts';

let child: ReturnType<typeof fork>;
let origin: string;
beforeEach(async () => {
  child = fork(fileURLToPath(new URL('shared-process.ts', import.meta.url)), {
    execArgv: ['--conditions=@halyard/source'],
  });
  [origin] = (await once(child, 'message')) as [string];
});
afterEach(async () => {
  const exited = once(child, 'exit');
  child.send('close');
  await exited;
});

async function post(user: string, path: string, body: object | string): Promise<number> {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${user}` },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  await response.text();
  return response.status;
}

/** How long requests of another user take, one after the other, until `work` has ended. */
async function delaysDuring(work: Promise<unknown>, path: string, body: object): Promise<readonly number[]> {
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
}

function print(what: string, delays: readonly number[]): void {
  const [median = 0, longest = 0] = [delays[delays.length >> 1], delays.at(-1)];
  process.stdout.write(
    `${what}: median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms of ${delays.length}\n`,
  );
}

it('runs trivial executions of a user at once while another user starts 300 slow ones', async () => {
  const slow = Promise.all(Array.from({ length: 300 }, () => post('busy', '/workflows/slow/execute', { input: {} })));
  const delays = await delaysDuring(slow, '/workflows/trivial/execute', { input: {} });
  print('a trivial execution beside 300 slow ones', delays);
  // A slow one takes 2 s: none of these has waited for one.
  expect(delays[delays.length >> 1]).toBeLessThan(500);
  expect(new Set(await slow)).toEqual(new Set([200, 429]));
});

it('refuses most of 1 500 text requests of one user, and answers another user', async () => {
  const many = Promise.all(
    Array.from({ length: 1_500 }, () => post('busy', '/agents/thoughtful/text', { input: 'Hi' })),
  );
  const delays = await delaysDuring(many, '/agents/quick/text', { input: 'Hi' });
  print('a text beside 1 500 of another user', delays);
  const accepted = (await many).filter((status) => status === 200).length;
  const { mostSlowCalls } = await report();
  process.stdout.write(`accepted: ${accepted} of 1500, ${mostSlowCalls} at the same time\n`);
  expect(accepted).toBeLessThan(1_500);
  expect(mostSlowCalls).toBeLessThanOrEqual(200);
});

it('lets the console key in beside 1 000 WebSockets of strangers', async () => {
  const sockets = await Promise.all(Array.from({ length: 1_000 }, () => openSocket('/ws')));
  const accepted = sockets.filter(({ status }) => status === '101').length;
  process.stdout.write(`WebSockets of one address: ${accepted} of 1000\n`);
  expect(accepted).toBe(100);

  const operator = await openSocket('/ws/logs?key=the%20console%20key%20of%20this%20test');
  expect(operator.status).toBe('101');
  for (const { socket } of [...sockets, operator]) socket.destroy();
});

it('stalls briefly at most while a user sends 25 large bodies', async () => {
  await post('busy', '/agents/quick/text', { input: 'Hi' });
  const body = JSON.stringify({ input: '"\\\n'.repeat(1_300_000) });
  await report();
  const statuses = await Promise.all(Array.from({ length: 25 }, () => post('busy', '/agents/quick/text', body)));
  // Measured in the server: this process is busy with sending.
  const { longest, longestCpu } = await report();
  process.stdout.write(
    `the longest stall of the server by 25 bodies of 8 MB: ${longest.toFixed(0)} ms, ${longestCpu.toFixed(0)} ms of CPU\n`,
  );
  const accepted = statuses.filter((status) => status === 200).length;
  process.stdout.write(`bodies of 8 MB of one user: ${accepted} of 25\n`);
  // Those that do not fit into the limit of bytes are refused.
  expect(accepted).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  expect(longest).toBeLessThan(1_000);
  // Twice the target of a machine like that of docs/reliability.md: others may be slower.
  expect(longestCpu).toBeLessThan(200);
});

/** What the server measured since the last call. */
async function report(): Promise<Delays> {
  child.send('report');
  const [delays] = (await once(child, 'message')) as [Delays];
  return delays;
}

async function openSocket(path: string): Promise<{ readonly socket: Socket; readonly status: string | undefined }> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.on('error', () => {});
  const head = [`GET ${path} HTTP/1.1`, 'host: x', 'connection: Upgrade', 'upgrade: websocket'];
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';
  socket.write([...head, 'sec-websocket-version: 13', key, '', ''].join('\r\n'));
  const [reply] = (await once(socket, 'data')) as [Buffer];
  return { socket, status: reply.toString('latin1').split(' ')[1] };
}
