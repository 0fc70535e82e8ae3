import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgresServer } from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import { DatabaseProxy, type ProxiedConnection } from '../../faults/harness/database-proxy.ts';
import type { SeededRandom } from '../../faults/harness/seeded-random.ts';
import type { Attack, AttackOutcome } from '../harness/attack.ts';
import { percentile } from '../soak/trend.ts';
import { App } from './app.ts';
import { counted, isCompleted } from './clock-jumps.ts';

const delayMs = 20;
const lossShare = 0.02;
const retransmitMs = 250;
const atOnce = 10;
const p99BoundMs = 3_000;

/**
 * A proxy that delays what passes, in order, and some of it for longer, as TCP does when it sends
 * again what was lost. `tc netem` needs a module that many kernels lack.
 */
class SlowProxy extends DatabaseProxy {
  readonly #random: SeededRandom;
  /** Lost packets are not sent again. */
  readonly #losesForEver: boolean;
  #isSlow = false;

  constructor(random: SeededRandom, losesForEver: boolean) {
    super();
    this.#random = random;
    this.#losesForEver = losesForEver;
  }

  slowDown(): void {
    this.#isSlow = true;
  }

  protected override forward({ client, upstream }: ProxiedConnection): void {
    this.#pass(client, upstream);
    this.#pass(upstream, client);
  }

  #pass(from: Socket, to: Socket): void {
    let last = Promise.resolve();
    from.on('data', (chunk: Buffer) => {
      const isLost = this.#isSlow && this.#random.next() < lossShare;
      if (isLost && this.#losesForEver) return;
      const arrived = delay(this.#isSlow ? delayMs + (isLost ? retransmitMs : 0) : 0);
      last = Promise.all([last, arrived]).then(() => void (to.destroyed || to.write(chunk)));
    });
  }
}

/** A database behind a network with delay and loss: everything is slower, and nothing fails. */
export const slowNetwork: Attack = {
  name: 'slow-network',
  summary: 'delay and loss between the server and its database',
  needsOwnTarget: 'it slows the network of the server down',
  plants: { 'lost-packets': /was answered with|did not complete/ },
  run: async ({ bySize, plant, random }) => {
    const [texts, executions] = bySize({ planted: [20, 0], short: [200, 60], long: [5_000, 1_000] });
    const database = await startPostgresServer();
    const proxy = new SlowProxy(random, plant === 'lost-packets');
    await proxy.listen();
    let app: App | undefined;
    try {
      app = await App.start({ connectionString: proxy.addressOf(database.connectionString) });
      // The schema was created on a good network.
      proxy.slowDown();
      return await measure(app, texts ?? 0, executions ?? 0);
    } finally {
      await app?.close();
      await proxy.close();
      await database.remove();
    }
  },
};

async function measure(app: App, texts: number, executions: number): Promise<AttackOutcome> {
  const token = app.tokenOf('user', Date.now() / 1_000 + 3_600);
  const findings: string[] = [];
  const times: number[] = [];
  const inTurn = async (count: number, act: (index: number) => Promise<void>): Promise<void> => {
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < count) await act(next++);
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  };
  await inTurn(texts, async (index) => {
    const { code, ms, status } = await app.ask('POST', '/agents/assistant/text', token, {
      input: 'Hi',
      options: { conversationId: `chat-${index % 40}` },
    });
    times.push(ms);
    if (status !== 200) findings.push(`a text was answered with ${status} ${code ?? ''}`);
  });
  const ids = Array.from({ length: executions }, (_, index) => `work-${index}`);
  await inTurn(executions, async (index) => {
    const options = { executionId: ids[index] };
    const { status } = await app.ask('POST', '/workflows/work/execute', token, { input: { ms: 50 }, options });
    if (status !== 200) findings.push(`an execution was answered with ${status}`);
  });
  let left = ids;
  for (let waited = 0; waited < 60 && left.length > 0; waited += 1) {
    const states = await Promise.all(left.map((id) => app.ask('GET', `/workflows/work/executions/${id}`, token)));
    left = left.filter((_, index) => !isCompleted(states[index]?.data));
    await delay(250);
  }
  for (const id of left) findings.push(`${id} did not complete`);
  for (const [body, count] of counted(app.bodies())) if (count > 1) findings.push(`${body} ran ${count} times`);
  const p99Ms = Math.round(percentile(times, 99));
  if (p99Ms > p99BoundMs) findings.push(`the p99 of texts was ${p99Ms} ms`);
  return {
    count: `${texts} texts, ${executions} executions, ${delayMs} ms delay each way, ${lossShare * 100} % lost`,
    measured: `p50 ${Math.round(percentile(times, 50))} ms, p99 ${p99Ms} ms`,
    target: `no failure, nothing run twice, p99 < ${p99BoundMs} ms`,
    findings,
  };
}
