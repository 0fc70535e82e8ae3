import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SharedServer, startSharedServer } from './shared-server.ts';

let server: SharedServer;
beforeEach(async () => {
  server = await startSharedServer();
});
afterEach(() => server.close());

it('runs trivial executions of a user at once while another user starts 300 slow ones', async () => {
  const slow = Promise.all(
    Array.from({ length: 300 }, () => server.post('busy', '/workflows/slow/execute', { input: {} })),
  );
  const delays = await server.delaysDuring(slow, '/workflows/trivial/execute', { input: {} });
  print('a trivial execution beside 300 slow ones', delays);
  // A slow one takes 2 s: none of these has waited for one.
  expect(delays[delays.length >> 1]).toBeLessThan(500);
  expect(new Set(await slow)).toEqual(new Set([200, 429]));
});

it('stalls briefly at most while a user sends 25 large bodies', async () => {
  await server.post('busy', '/agents/quick/text', { input: 'Hi' });
  const body = JSON.stringify({ input: '"\\\n'.repeat(1_300_000) });
  await server.report();
  const statuses = await Promise.all(Array.from({ length: 25 }, () => server.post('busy', '/agents/quick/text', body)));
  // Measured in the server: this process is busy with sending.
  const { longest, longestCpu } = await server.report();
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

function print(what: string, delays: readonly number[]): void {
  const [median = 0, longest = 0] = [delays[delays.length >> 1], delays.at(-1)];
  process.stdout.write(
    `${what}: median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms of ${delays.length}\n`,
  );
}
