import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { startMeasuredServer } from './measured-server.ts';

/*
 * Measures what ten open consoles cost a server that does 100 runs per second: the CPU time of its process with and without them, in turn. Half of the runs are
 * of an agent, half of a workflow of five steps.
 * Run: node --conditions=@halyard/source benchmarks/console/ten-consoles.ts [rounds] [postgres://…]
 */
const pages = [
  'console/',
  'console/?range=1h&by=user',
  'console/?range=14d&by=model',
  'console/traces',
  'console/traces?entityType=agent',
  'console/executions',
  'console/agents',
  'console/agents/assistant?tab=runs',
  'console/approvals',
  'console/logs',
];
const [rounds = '3', connectionString] = process.argv.slice(2);
const runsPerSecond = 100;
const seconds = 20;
const settleMs = 6_000;
const warmUpMs = 20_000;

const server = await startMeasuredServer('2000', '0', ...(connectionString === undefined ? [] : [connectionString]));
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
let started = 0;
let ended = 0;
const begun = performance.now();
// As many as are due: a busy machine is late.
const load = setInterval(() => {
  while (started < ((performance.now() - begun) / 1_000) * runsPerSecond) void run();
}, 10);
const shares: number[] = [];
await delay(warmUpMs);
for (let round = 0; round < Number(rounds); round += 1) {
  const without = await measure();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  for (const path of pages) {
    const page = await context.newPage();
    await page.goto(`${server.url}/${path}`);
  }
  await delay(settleMs);
  const requests = new Map<string, number>();
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    requests.set(pathname, (requests.get(pathname) ?? 0) + 1);
  });
  const withConsoles = await measure();
  await context.close();
  shares.push(withConsoles.cpuPerRun / without.cpuPerRun);
  console.log({ without, withConsoles, share: shares.at(-1)?.toFixed(2), requests: Object.fromEntries(requests) });
  await delay(settleMs);
}
clearInterval(load);
console.log(`CPU of the server with ten consoles: ${median(shares).toFixed(2)} times that without`);
await browser.close();
await server.stop();

async function run(): Promise<void> {
  const isAgent = started % 2 === 0;
  started += 1;
  const [path, body] = isAgent
    ? ['agents/assistant/text', { input: 'Hello', options: { userId: `user-${started % 50}` } }]
    : ['workflows/five/execute', { input: { n: started } }];
  const response = await fetch(`${server.url}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 200) throw new TypeError(`${path} answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
  ended += 1;
}

/** Of a while: the CPU time per run in milliseconds, and how many runs there were. */
async function measure(): Promise<{
  readonly cpuPerRun: number;
  readonly runsPerSecond: number;
  readonly cpu: number;
}> {
  const [cpu, runs, at] = [server.cpuSeconds(), ended, performance.now()];
  await delay(seconds * 1_000);
  const took = (performance.now() - at) / 1_000;
  const [usedCpu, done] = [server.cpuSeconds() - cpu, ended - runs];
  return { cpuPerRun: (usedCpu / done) * 1_000, runsPerSecond: done / took, cpu: usedCpu / took };
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
