/**
 * Resumable answers on three replicas, one of which is killed: checks what the tabs of a
 * conversation show and what is stored.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { pieceDelayMs, pieces, wholeReply } from './chats-agent.ts';
import { ChatReader, textOf } from './chats-reader.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';

/** The lease of the answer, one poll interval, and a second for the response. */
const lostBoundMs = (leaseMs: number): number => leaseMs + 3_000 + 1_000;

await runScript({
  name: 'chats',
  plants: { 'lost-chunk': /shows another text/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const cluster = await startCluster({ random, plant });
    try {
      return await chat(cluster, number('chats', isShort ? 12 : 60), random);
    } finally {
      await cluster.close();
    }
  },
});

interface Conversation {
  readonly id: string;
  readonly askedAt: number;
  readonly asker: ChatReader;
  readonly tabs: readonly ChatReader[];
}

async function chat(cluster: Cluster, count: number, random: SeededRandom): Promise<Outcome> {
  const { client, cpuWaits, leaseMs, replicas } = cluster;
  const answerMs = pieces * pieceDelayMs;
  const until = performance.now() + answerMs + lostBoundMs(leaseMs) + 120_000;
  const reading: Promise<void>[] = [];
  const conversations = Array.from({ length: count }, (_, index): Conversation => {
    const id = `chat-${index}`;
    const [asker, ...others] = [new ChatReader(id, client), new ChatReader(id, client), new ChatReader(id, client)];
    // Every second conversation loses its first tab in the middle of the answer.
    const leaves = index % 2 === 0 ? { leavesAfterMs: random.between(500, answerMs / 3) } : {};
    reading.push(asker.read(replicas[index % replicas.length] ?? client.any(), { asks: true, until, ...leaves }));
    for (const tab of others)
      reading.push(
        asker.accepted.then(() => delay(answerMs / 4)).then(() => tab.read(client.any(), { asks: false, until })),
      );
    return { id, askedAt: performance.now(), asker, tabs: [asker, ...others] };
  });

  await Promise.all(conversations.map(({ asker }) => asker.accepted));
  await delay(answerMs / 2);
  const victim = random.pick(replicas);
  const killedAt = performance.now();
  await victim.signal('SIGKILL');
  await Promise.all(reading);

  // An answer that a tab has read to its end was not lost: it must be whole.
  const lost = conversations.filter(
    ({ asker, tabs }) => asker.asked === victim.index && tabs.every(({ ending }) => ending !== 'finish'),
  );
  /**
   * Their writers could not renew the lease, because they or the database got no CPU: the answer is
   * lost as if they had been killed, but at another time.
   */
  const starved = conversations.filter(
    (one) =>
      !lost.includes(one) &&
      one.tabs.some(({ ending }) => ending !== 'finish') &&
      mayHaveBeenStarved(cluster, one.askedAt, Math.max(...one.tabs.map(({ endedAt }) => endedAt))),
  );
  const surviving = conversations.filter((one) => !lost.includes(one) && !starved.includes(one));
  const problems: string[] = [];
  const timing: string[] = [];
  let disconnected = 0;
  for (const { id, tabs } of surviving) {
    for (const tab of tabs) {
      if (tab.replicas.length > 1) disconnected += 1;
      // A tab that reconnects after the end reads the answer from the conversation.
      if (tab.ending === 'unavailable' && tab.replicas.length > 1) continue;
      if (tab.ending !== 'finish') problems.push(`a tab of ${id} ended with ${tab.ending}`);
      else if (tab.text !== wholeReply)
        problems.push(`a tab of ${id} shows another text than the answer: ${describeShown(tab)}`);
    }
    const stored = await storedReply(client, id);
    if (stored === undefined) problems.push(`the answer of ${id} could not be read`);
    else if (stored !== wholeReply)
      problems.push(`${id} has stored ${stored.length} of ${wholeReply.length} characters`);
  }
  if (lost.length === 0) timing.push('no writer of an answer was killed');
  let slowestMs = 0;
  for (const { id, tabs } of [...lost, ...starved]) {
    for (const tab of tabs) {
      if (!wholeReply.startsWith(tab.text)) problems.push(`a tab of ${id} shows text that is not part of the answer`);
      if (starved.some((one) => one.id === id)) continue;
      const endedAfterMs = tab.endedAt - killedAt;
      slowestMs = Math.max(slowestMs, endedAfterMs);
      if (tab.ending !== 'error' && tab.ending !== 'unavailable')
        problems.push(`a tab of ${id}, whose writer was killed, ended with ${tab.ending}`);
      else if (endedAfterMs - cpuWaits.during(killedAt, tab.endedAt) > lostBoundMs(leaseMs))
        timing.push(`a tab of ${id} ended after ${endedAfterMs} ms`);
    }
    const again = await askAgain(cluster, id);
    if (again.ending !== 'finish' || again.text !== wholeReply)
      problems.push(`${id} cannot be continued: ${again.ending}, ${describeShown(again)}`);
  }
  if (disconnected === 0) timing.push('no tab was disconnected');
  const figures = {
    chats: count,
    tabs: count * 3,
    writersKilled: lost.length,
    starved: starved.length,
    disconnected,
    slowestEndMs: Math.round(slowestMs),
    boundMs: lostBoundMs(leaseMs),
  };
  return { figures, problems, timing };
}

function describeShown({ failure, text }: ChatReader): string {
  const shown = `${text.length} characters, ${text.slice(-30)}`;
  return failure === undefined ? shown : `${shown}, ${inspect(failure)}`;
}

/** Asks the next question, and again if that answer is lost because its writer got no CPU. */
async function askAgain(cluster: Cluster, id: string): Promise<ChatReader> {
  const { client } = cluster;
  for (let tries = 1; ; tries += 1) {
    const again = new ChatReader(id, client, `next-${tries}`);
    const askedAt = performance.now();
    await again.read(client.any(), { asks: true, until: askedAt + pieces * pieceDelayMs + 120_000 });
    if (again.ending === 'finish' || tries > 3 || !mayHaveBeenStarved(cluster, askedAt, again.endedAt)) return again;
  }
}

/**
 * Whether the lease of an answer may have ended between these times of `performance.now()` because
 * its writer or the database got no CPU.
 */
function mayHaveBeenStarved({ cpuWaits, leaseMs }: Cluster, from: number, until: number): boolean {
  const { timeOrigin } = performance;
  return cpuWaits.mayHaveEndedLease(leaseMs, timeOrigin + from, timeOrigin + until);
}

/**
 * Undefined when the server does not answer with 200, so that one failed read is reported like any
 * other problem.
 */
async function storedReply(client: Cluster['client'], id: string): Promise<string | undefined> {
  const { data, status } = await client.ask(`/api/memory/conversations/${id}/messages?userId=of-${id}`);
  if (status !== 200) return undefined;
  const { messages } = data as {
    readonly messages: readonly { role: string; parts: Parameters<typeof textOf>[0]['parts'] }[];
  };
  const answer = messages.findLast(({ role }) => role === 'assistant');
  return answer === undefined ? '' : textOf(answer);
}
