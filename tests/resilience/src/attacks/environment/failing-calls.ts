import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startPostgresServer } from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { Attack } from '../harness/attack.ts';
import { App } from './app.ts';
import { Diary } from './diary.ts';

const exec = promisify(execFile);
const libraries = ['/usr/lib/fiu/fiu_run_preload.so', '/usr/lib/fiu/fiu_posix_preload.so'];
const messageBytes = 4_000;
/** Connections that break are noticed at once. */
const stuckMs = 30_000;
const recoveryBoundMs = 20_000;
/** EIO. */
const errorNumber = 5;

/**
 * The calls that fail in each turn. `read` and `write` are not among them: libuv also wakes its
 * threads with these, and aborts when that fails. Files of the embedded database are written with
 * `pwrite`; sockets are written with `writev` if several parts are waiting.
 */
const faults: readonly Fault[] = [
  { store: 'embedded', calls: { 'posix/io/rw/pwrite': 0.02 } },
  { store: 'server', calls: { 'posix/io/rw/writev': 0.1, 'posix/io/net/connect': 0.5 } },
];

interface Fault {
  readonly store: 'embedded' | 'server';
  /** With their probability of failing. */
  readonly calls: Readonly<Record<string, number>>;
}

/** Lets system calls of a server fail at random while messages are written. */
export const failingCalls: Attack = {
  name: 'failing-calls',
  summary: 'system calls of the server fail at random: files of the embedded database, sockets (libfiu)',
  needsOwnTarget: 'it lets system calls of the server fail',
  plants: { 'hidden-failures': /was acknowledged and is lost/ },
  run: async ({ bySize, plant }) => {
    if (!libraries.every((path) => existsSync(path)))
      return { count: '0 writes', findings: [], missing: 'libfiu (Debian packages: libfiu0, fiu-utils)' };
    const writes = bySize({ planted: 200, short: 500, long: 10_000 });
    const chosen = bySize<readonly Fault[]>({
      planted: faults.filter(({ store }) => store === 'server'),
      short: faults,
      long: faults,
    });
    const results: Result[] = [];
    for (const fault of chosen)
      results.push(await failCalls(fault, writes, plant === 'hidden-failures' ? plant : undefined));
    return {
      count: `${chosen.length * writes} writes`,
      measured: results
        .map(({ failed, name, recoveredMs }) => `${name}: ${failed} failed, back after ${recoveredMs} ms`)
        .join('; '),
      target: `503 or no reply, nothing partial or lost, the process lives and works again within ${recoveryBoundMs / 1_000} s`,
      findings: results.flatMap(({ findings, name }) => findings.map((finding) => `${name}: ${finding}`)),
    };
  },
};

interface Result {
  readonly name: string;
  /** Writes that were not acknowledged. */
  readonly failed: number;
  readonly recoveredMs: number;
  readonly findings: readonly string[];
}

async function failCalls(fault: Fault, writes: number, plant: 'hidden-failures' | undefined): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'halyard-calls-'));
  const control = join(directory, 'control');
  const database = fault.store === 'server' ? await startPostgresServer() : undefined;
  let app: App | undefined;
  try {
    app = await App.start({
      plant,
      ...(database ? { connectionString: database.connectionString } : { dataDir: join(directory, 'data') }),
      environment: { LD_PRELOAD: libraries.join(' '), FIU_CTRL_FIFO: control },
    });
    const { pid } = app;
    const tell = (command: string) => exec('fiu-ctrl', ['-f', control, '-c', command, String(pid)]);
    const diary = await Diary.create(app, messageBytes);
    await diary.save('before');
    const { calls, store } = fault;
    for (const [call, probability] of Object.entries(calls))
      await tell(`enable_random name=${call},probability=${probability},failinfo=${errorNumber}`);
    const statuses = new Map<string, number>();
    let isStuck = false;
    for (let index = 0; index < writes && app.isAlive && !isStuck; index += 1) {
      const { code, ms, status } = await diary.save(`failing-${index}`);
      const what = status === 0 ? 'no reply' : `${status} ${code ?? ''}`.trim();
      statuses.set(what, (statuses.get(what) ?? 0) + 1);
      isStuck = status === 0 && ms > stuckMs;
    }
    const findings: string[] = [];
    for (const what of statuses.keys())
      if (!['200', '503 STORAGE_UNAVAILABLE', 'no reply'].includes(what))
        findings.push(`a write was answered with ${what}`);
    if (isStuck) findings.push('a write was not answered');
    const failed = [...statuses.values()].reduce((sum, count) => sum + count, 0) - (statuses.get('200') ?? 0);
    console.log(`  ${store}: ${JSON.stringify(Object.fromEntries(statuses))}`);
    if (!app.isAlive)
      return { name: store, failed, recoveredMs: Infinity, findings: [...findings, 'the process ended'] };
    for (const call of Object.keys(calls)) await tell(`disable name=${call}`);
    const recovered = await diary.recover(recoveryBoundMs);
    findings.push(...recovered.findings);
    if (failed === 0) findings.push('no call failed');
    return { name: store, failed, recoveredMs: recovered.recoveredMs, findings };
  } finally {
    await app?.close();
    await database?.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}
