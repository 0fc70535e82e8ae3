/** Answers that outlive their clients, on three replicas of which one is killed: what the tabs of a conversation show, and what is kept. */
import { setTimeout as delay } from 'node:timers/promises';
import { pieceDelayMs, pieces, wholeAnswer } from './chats-agent.ts';
import { ChatReader, textOf } from './chats-reader.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';

/** The lease of an answer, a look at it, and the time to say so. */
const lostBoundMs = (leaseMs: number): number => leaseMs + 3_000 + 1_000;

await runScript({
  name: 'chats',
  plants: { 'lost-chunk': /shows less/ },
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
  /** Who gives the answer. */
  readonly writer: number;
  readonly tabs: readonly ChatReader[];
}

async function chat({ client, leaseMs, replicas }: Cluster, count: number, random: SeededRandom): Promise<Outcome> {
  const answerMs = pieces * pieceDelayMs;
  const until = performance.now() + answerMs + lostBoundMs(leaseMs) + 20_000;
  const reading: Promise<void>[] = [];
  const conversations = Array.from({ length: count }, (_, index): Conversation => {
    const id = `chat-${index}`;
    const writer = replicas[index % replicas.length] ?? client.any();
    const tabs = Array.from({ length: 3 }, () => new ChatReader(id, client));
    const [asker, ...others] = tabs;
    // Some leave in the middle, and come back elsewhere.
    const leaves = index % 2 === 0 ? { leavesAfterMs: random.between(500, answerMs / 3) } : {};
    if (asker !== undefined) reading.push(asker.read(writer, { asks: true, until, ...leaves }));
    for (const tab of others)
      reading.push(delay(answerMs / 4).then(() => tab.read(client.any(), { asks: false, until })));
    return { id, writer: writer.index, tabs };
  });

  await delay(answerMs / 2);
  const victim = random.pick(replicas);
  const killedAt = performance.now();
  await victim.signal('SIGKILL');
  await Promise.all(reading);

  const lost = conversations.filter(({ writer }) => writer === victim.index);
  const kept = conversations.filter(({ writer }) => writer !== victim.index);
  const problems: string[] = [];
  let cutOff = 0;
  for (const { id, tabs } of kept) {
    for (const tab of tabs) {
      if (tab.replicas.length > 1) cutOff += 1;
      // Who comes back when the answer has ended has it from the conversation.
      if (tab.ending === 'gone' && tab.replicas.length > 1) continue;
      if (tab.ending !== 'finish') problems.push(`a tab of ${id} ended with ${tab.ending}`);
      else if (tab.text !== wholeAnswer) problems.push(`a tab of ${id} shows less, or more, than was said`);
    }
    const stored = await storedAnswer(client, id);
    if (stored === undefined) problems.push(`the answer of ${id} could not be read`);
    else if (stored !== wholeAnswer) problems.push(`${id} keeps ${stored.length} of ${wholeAnswer.length} characters`);
  }
  let slowestMs = 0;
  for (const { id, tabs } of lost) {
    for (const tab of tabs) {
      const toldAfterMs = tab.endedAt - killedAt;
      slowestMs = Math.max(slowestMs, toldAfterMs);
      if (tab.ending !== 'error' && tab.ending !== 'gone')
        problems.push(`a tab of ${id}, whose writer is gone, ended with ${tab.ending}`);
      else if (toldAfterMs > lostBoundMs(leaseMs)) problems.push(`a tab of ${id} was told after ${toldAfterMs} ms`);
      if (!wholeAnswer.startsWith(tab.text)) problems.push(`a tab of ${id} shows what was never said`);
    }
    const again = new ChatReader(id, client);
    await again.read(client.any(), { asks: true, until: performance.now() + answerMs + 20_000 });
    if (again.ending !== 'finish' || again.text !== wholeAnswer)
      problems.push(`${id} cannot be gone on with: ${again.ending}`);
  }
  if (cutOff === 0) problems.push('no tab was cut off');
  const figures = {
    chats: count,
    tabs: count * 3,
    writersKilled: lost.length,
    cutOff,
    toldOfLossMs: Math.round(slowestMs),
    boundMs: lostBoundMs(leaseMs),
  };
  return { figures, problems };
}

/** Undefined when the server does not answer with 200, so that one failed read is reported like any other problem. */
async function storedAnswer(client: Cluster['client'], id: string): Promise<string | undefined> {
  const { data, status } = await client.ask(`/api/memory/conversations/${id}/messages?userId=of-${id}`);
  if (status !== 200) return undefined;
  const { messages } = data as {
    readonly messages: readonly { role: string; parts: Parameters<typeof textOf>[0]['parts'] }[];
  };
  const answer = messages.findLast(({ role }) => role === 'assistant');
  return answer === undefined ? '' : textOf(answer);
}
