import { startPostgresServer } from '../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { Attack } from '../harness/attack.ts';
import { consoleKey } from '../harness/tokens.ts';
import { MeasuredTarget, megabyte } from './measured-target.ts';

/** The heap of the process under attack. */
const heapMb = 256;
/** Everything that the process takes: heap, buffers, code. */
const rssBoundMb = 1024;
const stores = ['memory', 'postgres'] as const;

/** A few large writes, then reads with the largest limits. */
export const memoryAmplification: Attack = {
  name: 'memory-amplification',
  summary: 'large messages, metadata, inputs and working memories, read with the largest limits, in a heap of 256 MB',
  needsOwnTarget: true,
  plants: { 'unlimited-pages': /ran out of memory|the process took/ },
  run: async ({ bySize, plant }) => {
    const names = Object.keys(amplifications) as AmplificationName[];
    const chosen = bySize<readonly (readonly AmplificationName[])[]>({
      planted: [['messages']],
      short: [names],
      long: [...names.map((name) => [name]), names],
    });
    const results: Result[] = [];
    for (const store of bySize<readonly Store[]>({ planted: ['postgres'], short: stores, long: stores }))
      for (const attacks of chosen)
        results.push(await amplify(store, attacks, plant === 'unlimited-pages' ? plant : undefined));
    const sum = (valueOf: (result: Result) => number): number =>
      results.reduce((total, one) => total + valueOf(one), 0);
    return {
      count: `${sum((one) => one.writes)} writes (${sum((one) => one.refused)} refused), ${sum((one) => one.readMb)} MB read`,
      measured: `largest process ${Math.max(...results.map((one) => one.peakRssMb))} MB, ${results.filter((one) => !one.isAlive).length} of ${results.length} ended`,
      target: `none ends at --max-old-space-size=${heapMb}, < ${rssBoundMb} MB resident`,
      findings: results.flatMap((one) => one.findings),
    };
  },
};

type Store = (typeof stores)[number];
type AmplificationName = keyof typeof amplifications;

interface Result {
  readonly writes: number;
  readonly refused: number;
  readonly readMb: number;
  readonly peakRssMb: number;
  readonly isAlive: boolean;
  readonly findings: readonly string[];
}

/** Writes everything first, then reads all of it at the same time. */
async function amplify(store: Store, names: readonly AmplificationName[], plant?: 'unlimited-pages'): Promise<Result> {
  const database = store === 'postgres' ? await startPostgresServer() : undefined;
  const target = await MeasuredTarget.start({
    heapMb,
    records: true,
    connectionString: database?.connectionString,
    plant,
  });
  // A store in memory holds what is written: less is written, and only what the reads add is the attack.
  const caller = new Caller(target, database === undefined ? 0.15 : 1);
  try {
    const what = `${names.join(' and ')}, ${store}`;
    let peakRssMb = 0;
    const watch = setInterval(() => (peakRssMb = target.peakRssMb ?? peakRssMb), 200);
    for (const name of names) await amplifications[name].write(caller);
    const writtenMb = Math.round(caller.writtenBytes / megabyte);
    await Promise.all(names.map((name) => amplifications[name].read(caller)));
    clearInterval(watch);
    peakRssMb = target.peakRssMb ?? peakRssMb;
    const { isAlive } = target;
    const findings: string[] = [];
    if (!isAlive) findings.push(`${what}: the process ran out of memory after ${writtenMb} MB were written`);
    else if (caller.failed > 0) findings.push(`${what}: ${caller.failed} requests got no reply, or a 500`);
    if (peakRssMb > rssBoundMb) findings.push(`${what}: the process took ${peakRssMb} MB`);
    const { readBytes, refused, writes } = caller;
    const readMb = Math.round(readBytes / megabyte);
    console.log(
      `  ${what}: ${writtenMb} MB written, ${readMb} MB read, ${isAlive ? '' : 'ended at '}${peakRssMb} MB resident`,
    );
    return { writes, refused, readMb, peakRssMb, isAlive, findings };
  } finally {
    await target.close();
    await database?.remove();
  }
}

interface Amplification {
  readonly write: (caller: Caller) => Promise<void>;
  readonly read: (caller: Caller) => Promise<void>;
}

const readers = 8;
const memory = '/api/memory';

const amplifications = {
  /** Messages of the largest body that is accepted, read as one context and as one page. */
  messages: {
    write: async (caller) => {
      await caller.write(`${memory}/conversations`, { userId: 'attacker', conversationId: 'large' });
      const content = 'x'.repeat(4 * megabyte - 1_000);
      await caller.times(110, () =>
        caller.write(`${memory}/save-messages`, {
          userId: 'attacker',
          conversationId: 'large',
          messages: [{ role: 'user', content }],
        }),
      );
    },
    read: async (caller) => {
      const options = { conversationId: 'large', memory: { options: { contextLimit: 1000 } } };
      await Promise.all([
        ...repeat(readers, () => caller.read('POST', '/agents/assistant/text', { input: 'Hi', options })),
        ...repeat(readers, () => caller.read('GET', `${memory}/conversations/large/messages?limit=1000`)),
      ]);
    },
  },
  /** Conversations with metadata as large as a body may be. */
  lists: {
    write: async (caller) => {
      const metadata = { text: 'x'.repeat(megabyte - 1_000) };
      await caller.times(200, (index) =>
        caller.write(`${memory}/conversations`, { userId: 'attacker', conversationId: `list-${index}`, metadata }),
      );
    },
    read: async (caller) => {
      await Promise.all(repeat(readers, () => caller.read('GET', `${memory}/conversations?limit=200`)));
    },
  },
  /** Executions with inputs as large as a body may be, in the list of the console. */
  executions: {
    write: async (caller) => {
      const input = { text: 'x'.repeat(megabyte - 1_000) };
      await caller.times(200, () => caller.write('/workflows/keep/execute', { input }));
    },
    read: async (caller) => {
      await Promise.all([
        ...repeat(readers, () => caller.read('GET', '/workflows/executions?limit=200')),
        ...repeat(readers, () => caller.read('GET', '/observability/traces?limit=200')),
      ]);
    },
  },
  /** An execution with many large outputs, followed from its start by several clients. */
  outputs: {
    write: async (caller) => {
      const input = { text: 'x'.repeat(megabyte - 1_000) };
      await caller.times(2, (index) =>
        caller.write('/workflows/multiply/execute', { input, options: { executionId: `multiplied-${index}` } }),
      );
    },
    read: async (caller) => {
      const path = '/workflows/multiply/executions/multiplied-0';
      await Promise.all([
        ...repeat(readers, () => caller.read('GET', `${path}/stream`)),
        ...repeat(readers, () => caller.read('GET', path)),
      ]);
    },
  },
  /** A working memory that grows with each append. */
  workingMemory: {
    write: async (caller) => {
      await caller.write(`${memory}/conversations`, { userId: 'attacker', conversationId: 'notes' });
      await caller.times(110, () =>
        caller.write(`${memory}/conversations/notes/working-memory`, { content: 'x'.repeat(900_000), mode: 'append' }),
      );
    },
    read: async (caller) => {
      const options = { conversationId: 'notes' };
      await Promise.all([
        ...repeat(readers, () => caller.read('GET', `${memory}/conversations/notes/working-memory`)),
        ...repeat(readers, () => caller.read('POST', '/agents/assistant/text', { input: 'Hi', options })),
      ]);
    },
  },
} as const satisfies Record<string, Amplification>;

function repeat<Value>(count: number, act: () => Value): Value[] {
  return Array.from({ length: count }, act);
}

const writersAtOnce = 4;
const patienceMs = 60_000;

/** Sends requests, counts what comes of them, and does not keep the replies. */
class Caller {
  readonly #target: MeasuredTarget;
  readonly #share: number;
  writes = 0;
  refused = 0;
  failed = 0;
  writtenBytes = 0;
  readBytes = 0;

  /** @param share of the writes that are made. */
  constructor(target: MeasuredTarget, share: number) {
    this.#target = target;
    this.#share = share;
  }

  async times(count: number, act: (index: number) => Promise<void>): Promise<void> {
    let next = 0;
    const until = Math.ceil(count * this.#share);
    const writer = async (): Promise<void> => {
      while (next < until && this.#target.isAlive) await act(next++);
    };
    await Promise.all(repeat(writersAtOnce, writer));
  }

  async write(path: string, body: object): Promise<void> {
    this.writes += 1;
    const text = JSON.stringify(body);
    const { status } = await this.#send('POST', path, text);
    if (status !== undefined && status < 300) this.writtenBytes += text.length;
    else if (status !== undefined && status < 500) this.refused += 1;
  }

  async read(method: 'GET' | 'POST', path: string, body?: object): Promise<void> {
    const { bytes } = await this.#send(method, path, body && JSON.stringify(body));
    this.readBytes += bytes;
  }

  async #send(method: string, path: string, body: string | undefined): Promise<{ status?: number; bytes: number }> {
    const isOfConsole = path.startsWith('/workflows/executions') || path.startsWith('/observability');
    let bytes = 0;
    try {
      const reply = await fetch(`${this.#target.origin}${path}`, {
        method,
        headers: {
          'content-type': 'application/json',
          ...(isOfConsole ? { 'x-console-access-key': consoleKey } : { authorization: 'Bearer attacker' }),
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(patienceMs),
      });
      for await (const chunk of reply.body ?? []) bytes += chunk.byteLength;
      // Refusing is right, also because the server has too much to do.
      if (reply.status === 500) this.failed += 1;
      return { status: reply.status, bytes };
    } catch {
      this.failed += 1;
      return { bytes };
    }
  }
}
