import { setTimeout as delay } from 'node:timers/promises';
import {
  type PostgresServer,
  startPostgresServer,
} from '../../../../../packages/memory-postgres/src/testing/postgres-server.ts';
import type { Attack } from '../harness/attack.ts';
import { SoakClient } from '../soak/requests.ts';
import { Bystander, describeFare, judgeFare, stallBoundMs } from './bystander.ts';
import { MeasuredTarget } from './measured-target.ts';

/** How late the timer of another user may be. */
const lateBoundMs = 5_000;
/** How long the workflow `nap` of the target sleeps. */
const napMs = 1_000;
/**
 * How many requests the attacker sends at the same time: no more than the connections of its
 * client.
 */
const atOnce = 60;
/** How long it waits for an answer. */
const patienceMs = 400;

/** The users that read long lists. */
const listUsers = ['eve', 'mallory', 'trudy'] as const;

interface Sizes {
  /** Parts of one message. */
  readonly parts: number;
  readonly addresses: number;
  /** Executions that wait for one event. */
  readonly waiting: number;
  /** Executions that are due at the same time. */
  readonly due: number;
  readonly conversations: number;
}

/** The requests of one caller, or of a few, each of which makes the server do much. */
export const costlyRequests: Attack = {
  name: 'costly-requests',
  summary: 'few requests that cost much: thousands of parts, one event for many, executions due at once, long lists',
  needsOwnTarget: 'the server must have workflows that wait and sleep, and 50 000 conversations of each of three users',
  plants: { 'slow-bodies': /the server was busy/ },
  run: async ({ boundMs, bySize, plant }) => {
    const sizes = bySize<Sizes>({
      planted: { parts: 1_000, addresses: 2_000, waiting: 2, due: 0, conversations: 0 },
      short: { parts: 16_000, addresses: 40_000, waiting: 120, due: 2_600, conversations: 50_000 },
      long: { parts: 16_000, addresses: 40_000, waiting: 500, due: 10_000, conversations: 500_000 },
    });
    const database = await startPostgresServer();
    const target = await MeasuredTarget.start({
      connectionString: database.connectionString,
      ...(plant === 'slow-bodies' && { plant }),
    });
    const attacker = new Attacker(target);
    try {
      await attacker.sendParts(100);
      await attacker.napOfOther();
      await addConversations(database, sizes.conversations);
      const bystander = await Bystander.start(target);
      await target.report();
      await bystander.forget();

      for (let times = 0; times < 3; times += 1) await attacker.sendParts(sizes.parts);
      await attacker.sendAddresses(sizes.addresses);
      await attacker.publishFor(sizes.waiting);
      if (sizes.due > 0) await attacker.delayExecutions(sizes.due);
      if (sizes.conversations > 0) await attacker.readLists(sizes.conversations);

      const others = await bystander.stop();
      const delayed = await countDelayed(database);
      if (delayed < sizes.due) attacker.findings.push(`only ${delayed} of ${sizes.due} executions were delayed`);
      const { longestStallMs: stallMs } = await target.report();
      const findings = [...judgeFare(others, stallMs, boundMs), ...attacker.findings];
      if (attacker.latestMs > lateBoundMs) findings.push(`a timer of another user was ${attacker.latestMs} ms late`);
      return {
        count: `${sizes.parts} parts, an event for ${sizes.waiting}, ${sizes.due} due at once, ${attacker.lists} lists`,
        measured: `timers of others at most ${(attacker.latestMs / 1_000).toFixed(1)} s late, ${describeFare(others, stallMs)}`,
        target: `< ${lateBoundMs / 1_000} s late, stalls < ${boundMs ?? stallBoundMs} ms`,
        findings,
      };
    } finally {
      attacker.close();
      await target.close();
      await database.remove();
    }
  },
};

class Attacker {
  readonly #client: SoakClient;
  readonly findings: string[] = [];
  /** By how much the latest timer of another user was late. */
  latestMs = 0;
  /** How many lists were read. */
  lists = 0;

  constructor({ origin }: MeasuredTarget) {
    this.#client = new SoakClient(origin);
  }

  /** Runs a short sleep of another user. */
  async napOfOther(): Promise<void> {
    const { ms, status } = await this.#client.send({
      method: 'POST',
      path: '/workflows/nap/execute',
      user: 'other',
      body: { input: {} },
    });
    if (status !== 200) this.findings.push(`the sleep of another user was answered with ${status}`);
    this.latestMs = Math.max(this.latestMs, Math.round(ms - napMs));
  }

  /** Calls of tools, and answers to other ones. */
  async sendParts(count: number): Promise<void> {
    const numbers = Array.from({ length: count / 2 }, (_, index) => index);
    const calls = numbers.map((index) => ({ type: 'tool-call', toolCallId: `c${index}`, toolName: 't', input: 1 }));
    const answers = numbers.map((index) => ({
      type: 'tool-approval-response',
      approvalId: `a${index}`,
      approved: true,
    }));
    await this.#ask('assistant', [
      { role: 'assistant', content: calls },
      { role: 'tool', content: answers },
    ]);
  }

  /** An agent removes them from its input. */
  async sendAddresses(count: number): Promise<void> {
    await this.#ask('private', Array.from({ length: count }, (_, index) => `u${index}@example.com`).join(' '));
  }

  /** Publishes a large event for which executions wait. */
  async publishFor(count: number): Promise<void> {
    await inParts(count, () => this.#start('await-event', {}));
    const event = { name: 'paid', payload: 'x'.repeat(900_000) };
    const published = this.#client.send({ method: 'POST', path: '/workflows/events', user: 'eve', body: event });
    for (let times = 0; times < 3; times += 1) await this.napOfOther();
    const { status } = await published;
    if (status !== 200) this.findings.push(`the event was answered with ${status}`);
  }

  /** Lets many executions be due at the same time, each of which takes a second. */
  async delayExecutions(count: number): Promise<void> {
    // Later than the last of them is accepted.
    const dueAt = performance.now() + 5_000 + (count / atOnce) * patienceMs * 1.5;
    await inParts(count, () =>
      this.#start('second', { startAfterMs: Math.max(1, Math.round(dueAt - performance.now())) }),
    );
    await delay(Math.max(0, dueAt - performance.now()));
    for (let times = 0; times < 5; times += 1) await this.napOfOther();
  }

  /** Lists in an order for which there is no index, from their end. */
  async readLists(offset: number): Promise<void> {
    const path = `/api/memory/conversations?orderBy=title&orderDirection=ASC&limit=1&offset=${offset - 1_000}`;
    const lists = listUsers.flatMap((user) =>
      Array.from({ length: 20 }, () => this.#client.send({ method: 'GET', path, user })),
    );
    this.lists = lists.length;
    const statuses = new Set((await Promise.all(lists)).map(({ status }) => status));
    for (const status of statuses)
      if (status !== 200 && status !== 429) this.findings.push(`a list was answered with ${status}`);
  }

  close(): void {
    this.#client.close();
  }

  async #ask(agent: string, input: unknown): Promise<void> {
    const { status } = await this.#client.send({
      method: 'POST',
      path: `/agents/${agent}/text`,
      user: 'eve',
      body: { input },
    });
    if (status === 'aborted' || status >= 500) this.findings.push(`${agent} answered with ${status}`);
  }

  /** Does not wait for the end. */
  async #start(workflow: string, options: object): Promise<void> {
    const { status } = await this.#client.send({
      method: 'POST',
      path: `/workflows/${workflow}/execute`,
      user: 'eve',
      body: { input: {}, options },
      abortAfterMs: patienceMs,
    });
    if (status !== 'aborted' && status !== 200) this.findings.push(`${workflow} was answered with ${status}`);
  }
}

async function inParts(count: number, act: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, count - done) }, act));
}

async function countDelayed({ query }: PostgresServer): Promise<number> {
  const rows = await query(`select count(*)::int as count from halyard.executions where workflow_id = 'second'`);
  return Number(Reflect.get(rows[0] ?? {}, 'count'));
}

/** Each with a title of 1 KB, for three users. */
async function addConversations({ query }: PostgresServer, count: number): Promise<void> {
  if (count === 0) return;
  for (const user of listUsers)
    await query(
      `insert into halyard.conversations
         (id, resource_id, user_id, title, metadata, created_at, updated_at, created_by)
       select '${user}' || i, 'default', '${user}', repeat(md5(i::text), 32), '{}', i, i, ''
         from generate_series(1, ${count}) i`,
    );
  await query('analyze halyard.conversations');
}
