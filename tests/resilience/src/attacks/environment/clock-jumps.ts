import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgresServer } from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { Attack } from '../harness/attack.ts';
import { App } from './app.ts';

const day = 86_400;
const year = 365 * day;
/** How far the clock of the process jumps, in seconds. */
const jumps = [day, -day, 10 * year, -10 * year];
const executionsOfEachKind = 5;
const sleepMs = 3_000;
const leaseMs = 2_000;
const completionBoundMs = 15_000;
/** Of one CPU, while the clock is wrong. */
const cpuShareBound = 0.5;

const libraries = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`);

/** Lets the clock of a server jump while executions sleep, steps run, and tokens are valid. */
export const clockJumps: Attack = {
  name: 'clock-jumps',
  summary: 'the clock of the server jumps by a day and by ten years, forward and backward (libfaketime)',
  needsOwnTarget: 'it changes the clock of the server',
  plants: { 'remembered-tokens': /got 200 instead of 401/ },
  run: async ({ bySize, plant }) => {
    const library = libraries.find((path) => existsSync(path));
    if (library === undefined)
      return { count: '0 jumps', findings: [], missing: 'libfaketime (Debian package: libfaketime)' };
    const chosen = bySize({ planted: jumps.slice(0, 1), short: jumps, long: [...jumps, ...jumps, ...jumps] });
    const findings: string[] = [];
    let [highestCpuShare, slowestMs] = [0, 0];
    const database = plant === undefined ? await startPostgresServer() : undefined;
    const stores = database === undefined ? (['memory'] as const) : (['postgres', 'memory'] as const);
    try {
      for (const store of stores) {
        const clock = new JumpingClock(library);
        const app = await App.start({
          leaseMs,
          connectionString: store === 'postgres' ? database?.connectionString : undefined,
          plant: plant === 'remembered-tokens' ? plant : undefined,
          environment: clock.environment,
        });
        try {
          for (const [round, jump] of chosen.entries()) {
            const jumped = await jumpOnce(app, clock, { jump, name: `${round}` });
            findings.push(...jumped.findings.map((finding) => `${store}, jump of ${jump} s: ${finding}`));
            highestCpuShare = Math.max(highestCpuShare, jumped.cpuShare);
            slowestMs = Math.max(slowestMs, jumped.completedMs);
          }
        } finally {
          await app.close();
          clock.close();
        }
      }
    } finally {
      await database?.remove();
    }
    return {
      count: `${stores.length * chosen.length} jumps, ${stores.length * chosen.length * executionsOfEachKind * 4} executions`,
      measured: `all completed within ${(slowestMs / 1_000).toFixed(1)} s, ${Math.round(highestCpuShare * 100)} % of a CPU`,
      target: 'nothing lost or run twice, expired tokens refused, no busy loop',
      findings,
    };
  },
};

/** The clock of a process with libfaketime, which reads the offset from a file at each call. */
class JumpingClock {
  readonly #directory = mkdtempSync(join(tmpdir(), 'halyard-clock-'));
  readonly #file = join(this.#directory, 'offset');
  readonly environment: Readonly<Record<string, string>>;

  constructor(library: string) {
    this.set(0);
    this.environment = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      // Only the time of day jumps, as when an operator or NTP sets it.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    };
  }

  set(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}`);
  }

  close(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

interface Jumped {
  readonly findings: readonly string[];
  readonly cpuShare: number;
  readonly completedMs: number;
}

interface Jump {
  /** In seconds. */
  readonly jump: number;
  readonly name: string;
}

async function jumpOnce(app: App, clock: JumpingClock, { jump, name }: Jump): Promise<Jumped> {
  const findings: string[] = [];
  const now = Date.now() / 1_000;
  const tokens = {
    'of an hour': { expiresAt: now + 3_600, token: app.tokenOf('user', now + 3_600) },
    'that expired an hour ago': { expiresAt: now - 3_600, token: app.tokenOf('user', now - 3_600) },
    'that expired in 1990': { expiresAt: 20 * year, token: app.tokenOf('user', 20 * year) },
    'of a century': { expiresAt: now + 100 * year, token: app.tokenOf('user', now + 100 * year) },
  };
  const checkTokens = async (offset: number): Promise<void> => {
    for (const [kind, { expiresAt, token }] of Object.entries(tokens)) {
      const { status } = await app.ask('GET', '/api/memory/conversations?limit=1', token);
      const expected = expiresAt > now + offset ? 200 : 401;
      if (status !== expected) findings.push(`a token ${kind} got ${status} instead of ${expected}`);
    }
  };
  const owner = tokens['of a century'].token;
  await checkTokens(0);

  const began = performance.now();
  const ids = await startExecutions(app, owner, name);
  const cpuBefore = app.cpuMs();
  clock.set(jump);
  await checkTokens(jump);
  // New work while the clock is wrong: it must run, too.
  ids.push(...(await startExecutions(app, owner, `${name}-during`)));
  await delay(sleepMs + 2_000);
  await checkTokens(jump);
  const cpuShare = (app.cpuMs() - cpuBefore) / (performance.now() - began);
  if (cpuShare > cpuShareBound) findings.push(`the process used ${Math.round(cpuShare * 100)} % of a CPU`);
  clock.set(0);
  await checkTokens(0);

  const left = await untilCompleted(app, owner, ids);
  for (const id of left) findings.push(`the execution ${id} did not complete`);
  const completedMs = Math.round(performance.now() - began);
  for (const [body, times] of counted(app.bodies())) if (times > 1) findings.push(`${body} ran ${times} times`);
  if (!app.isAlive) findings.push('the process ended');
  return { findings, cpuShare, completedMs };
}

interface Started {
  readonly workflow: string;
  readonly id: string;
}

async function startExecutions(app: App, token: string, name: string): Promise<Started[]> {
  const all = ['nap', 'work'].flatMap((workflow) =>
    Array.from({ length: executionsOfEachKind }, (_, index) => ({ workflow, id: `${workflow}.${name}.${index}` })),
  );
  await Promise.all(
    all.map(({ id, workflow }) =>
      app.ask('POST', `/workflows/${workflow}/execute`, token, {
        input: { ms: sleepMs },
        options: { executionId: id },
      }),
    ),
  );
  return all;
}

/** @returns the ids of those that have not completed in time. */
async function untilCompleted(app: App, token: string, started: readonly Started[]): Promise<readonly string[]> {
  let left = started;
  const until = performance.now() + completionBoundMs;
  while (left.length > 0 && performance.now() < until) {
    const states = await Promise.all(
      left.map(({ id, workflow }) => app.ask('GET', `/workflows/${workflow}/executions/${id}`, token)),
    );
    left = left.filter((_, index) => !isCompleted(states[index]?.data));
    await delay(200);
  }
  return left.map(({ id }) => id);
}

export function isCompleted(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'status' in data && data.status === 'completed';
}

export function counted(values: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
