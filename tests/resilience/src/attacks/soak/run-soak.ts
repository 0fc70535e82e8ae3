import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startPostgresServer } from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import { type FollowerOptions, followSocket, followStreams } from './followers.ts';
import { nextAction, type Random } from './mix.ts';
import { SoakClient, type SoakReply, type SoakRequest } from './requests.ts';
import { judge, round, type Sample, type Verdict } from './samples.ts';
import type { SoakReport, SoakSettings } from './server-process.ts';
import { percentile } from './trend.ts';

export interface SoakOptions {
  readonly minutes: number;
  /** Requests per second. */
  readonly rate: number;
  /** A number from 0 to 1 for each choice. */
  readonly random: Random;
  readonly plant?: SoakSettings['plant'];
  /** Default: 10 s. */
  readonly sampleMs?: number;
  /** Default: 20. */
  readonly streams?: number;
  /** Default: 10. */
  readonly sockets?: number;
  /** Called with all samples so far. */
  readonly onSample?: (samples: readonly Sample[]) => void;
}

export interface SoakRun extends Verdict {
  readonly samples: readonly Sample[];
}

const megabyte = 1024 * 1024;

/**
 * Puts a server on PostgreSQL under mixed load, measures it again and again, and judges whether it
 * stayed the same.
 */
export async function runSoak(options: SoakOptions): Promise<SoakRun> {
  const { minutes, plant, random, sampleMs = 10_000, sockets = 10, streams = 20 } = options;
  const database = await startPostgresServer();
  const server = await forkServer({ connectionString: database.connectionString, plant });
  const client = new SoakClient(server.origin);
  const ended = new AbortController();
  const problems = new Map<string, number>();
  const report = (problem: string): void => void problems.set(problem, (problems.get(problem) ?? 0) + 1);
  const follower: FollowerOptions = { origin: server.origin, client, random, report, signal: ended.signal };
  const load = new Load(client, report);
  try {
    const running = [
      load.run(options, ended.signal),
      ...Array.from({ length: streams }, () => followStreams(follower)),
      ...Array.from({ length: sockets }, (_, index) => followSocket(follower, index)),
    ];
    const samples: Sample[] = [];
    const from = performance.now();
    while (performance.now() - from < minutes * 60_000) {
      await delay(sampleMs);
      const { handles, heapBytes, rssBytes } = await server.report();
      const sizes = { handles, heapMb: round(heapBytes / megabyte), rssMb: Math.round(rssBytes / megabyte) };
      samples.push({ seconds: Math.round((performance.now() - from) / 1_000), ...sizes, ...load.takeLatencies() });
      options.onSample?.(samples);
    }
    ended.abort();
    client.close();
    await Promise.all(running);
    const verdict = judge(samples);
    const seen = [...problems].map(([problem, count]) => `${count} × ${problem}`);
    return {
      samples,
      figures: { minutes, rate: options.rate, requests: load.requests, aborted: load.aborted, ...verdict.figures },
      problems: [...seen, ...verdict.problems],
    };
  } finally {
    ended.abort();
    client.close();
    await server.close();
    await database.remove();
  }
}

/** Sends requests at a constant rate, whether or not the earlier ones have been answered. */
class Load {
  readonly #client: SoakClient;
  readonly #report: (problem: string) => void;
  #latencies: number[] = [];
  requests = 0;
  aborted = 0;

  constructor(client: SoakClient, report: (problem: string) => void) {
    this.#client = client;
    this.#report = report;
  }

  async run({ random, rate }: SoakOptions, signal: AbortSignal): Promise<void> {
    const pending = new Set<Promise<void>>();
    let due = performance.now();
    for (let count = 0; !signal.aborted; count += 1) {
      const action = nextAction(random, count);
      const sent = this.#act(action, signal).finally(() => pending.delete(sent));
      pending.add(sent);
      due += (action.length / rate) * 1_000;
      await delay(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {});
    }
    await Promise.all(pending);
  }

  /** The latencies since the last call. */
  takeLatencies(): Pick<Sample, 'p50Ms' | 'p99Ms' | 'requests'> {
    const latencies = this.#latencies;
    this.#latencies = [];
    return {
      requests: latencies.length,
      p50Ms: round(percentile(latencies, 50)),
      p99Ms: round(percentile(latencies, 99)),
    };
  }

  async #act(action: readonly SoakRequest[], signal: AbortSignal): Promise<void> {
    for (const one of action) {
      try {
        this.#count(one, await this.#client.send(one));
      } catch (error) {
        if (!signal.aborted) this.#report(`${kindOf(one)}: ${String(error)}`);
      }
    }
  }

  #count(one: SoakRequest, { ms, status, text }: SoakReply): void {
    this.requests += 1;
    if (status === 'aborted') {
      this.aborted += 1;
      return;
    }
    this.#latencies.push(ms);
    // The first request of an action may have been given up, so that its data does not exist.
    if (status >= 400 && status !== 404 && status !== 409) this.#report(`${kindOf(one)} answered ${status} ${text}`);
  }
}

/** The request without its ids. */
function kindOf({ method, path }: SoakRequest): string {
  return `${method} ${path.replaceAll(/(?:notes|approval)-\d+-\d+|user-\d+-chat/g, ':id')}`;
}

interface ForkedServer {
  readonly origin: string;
  report(): Promise<SoakReport>;
  close(): Promise<void>;
}

async function forkServer(settings: SoakSettings): Promise<ForkedServer> {
  const child: ChildProcess = fork(
    fileURLToPath(new URL('server-process.ts', import.meta.url)),
    [JSON.stringify(settings)],
    {
      execArgv: ['--conditions=@halyard/source', '--expose-gc'],
      // The server writes its log, and nobody reads it.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
  const [origin] = (await once(child, 'message')) as [string];
  return {
    origin,
    async report() {
      child.send('report');
      const [report] = (await once(child, 'message')) as [SoakReport];
      return report;
    },
    async close() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.send('close');
      await Promise.race([exited, delay(15_000)]);
      child.kill('SIGKILL');
    },
  };
}
