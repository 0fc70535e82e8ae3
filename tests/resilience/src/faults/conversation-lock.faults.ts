/**
 * Parallel questions in the same conversations on three replicas, one of which is killed: checks
 * that each is answered before the next one is stored.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessage } from 'ai';
import { textOf } from './chats-reader.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { answerMs, slowQuestion } from './listener-agent.ts';

/** The lease of the killed run, one poll interval, and a second for the answer. */
const freeBoundMs = (leaseMs: number): number => leaseMs + 1_000 + 1_000;

await runScript({
  name: 'conversation-lock',
  plants: { 'ignored-locks': /did not see/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const cluster = await startCluster({ random, plant });
    try {
      const size = { conversations: number('conversations', isShort ? 4 : 12), questions: number('questions', 12) };
      return await askAll(cluster, size, random);
    } finally {
      await cluster.close();
    }
  },
});

interface Question {
  readonly text: string;
  readonly replica: number;
  /** Undefined when the connection broke. */
  readonly status: number | undefined;
  readonly answer: string | undefined;
  readonly endedAt: number;
}

async function askAll(
  cluster: Cluster,
  { conversations, questions }: { readonly conversations: number; readonly questions: number },
  random: SeededRandom,
): Promise<Outcome> {
  const { client, cpuWaits, leaseMs, replicas } = cluster;
  const ids = Array.from({ length: conversations }, (_, index) => `talk-${index}`);
  const victim = random.pick(replicas);
  // The victim dies while it answers every second conversation.
  const held = ids.filter((_, index) => index % 2 === 0);
  const slow = held.map((id) => ask(victim, id, slowQuestion));
  for (const id of held) await untilStored(client, id);
  const asking = ids.map((id) =>
    Promise.all(Array.from({ length: questions }, (_, index) => ask(random.pick(replicas), id, `question ${index}`))),
  );

  await delay((questions * answerMs) / 2);
  const killedAt = performance.now();
  await victim.signal('SIGKILL');
  const asked = await Promise.all(asking);

  const problems: string[] = [];
  let slowestMs = 0;
  /** Without the time in which there was no CPU for the processes. */
  let slowestServedMs = 0;
  for (const [index, id] of ids.entries()) {
    const own = asked[index] ?? [];
    const answeredAt = own.filter(({ status }) => status === 200).map(({ endedAt }) => endedAt);
    const times = [killedAt, ...answeredAt.filter((at) => at > killedAt).toSorted((one, other) => one - other)];
    for (const [at, time] of times.entries()) {
      const before = times[at - 1] ?? time;
      slowestMs = Math.max(slowestMs, time - before);
      slowestServedMs = Math.max(slowestServedMs, time - before - cpuWaits.during(before, time));
    }
    for (const { replica, status, text } of own)
      if (status !== 200 && replica !== victim.index) problems.push(`${text} of ${id} was answered with ${status}`);
    problems.push(...check(id, own, await storedMessages(client, id)));
  }
  const lost = [...asked.flat(), ...(await Promise.all(slow))].filter(({ status }) => status === undefined).length;
  const timing: string[] = [];
  if (lost < held.length) timing.push('the killed replica answered a slow question');
  const boundMs = freeBoundMs(leaseMs);
  if (slowestServedMs > boundMs)
    timing.push(`a conversation was not answered for ${Math.round(slowestServedMs)} ms without waits for the CPU`);
  return {
    figures: { conversations, questions: asked.flat().length, lost, slowestMs: Math.round(slowestMs), boundMs },
    problems,
    timing,
  };
}

async function ask({ index, origin }: Replica, id: string, text: string): Promise<Question> {
  const question = { text, replica: index };
  try {
    const response = await fetch(`${origin}/agents/listener/text`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: text, options: { conversationId: id, userId: `of-${id}`, contextLimit: 100 } }),
    });
    const { data } = (await response.json()) as { readonly data?: { readonly text: string } };
    return { ...question, status: response.status, answer: data?.text, endedAt: performance.now() };
  } catch {
    return { ...question, status: undefined, answer: undefined, endedAt: performance.now() };
  }
}

/** Compares the stored messages of a conversation with what its clients know. */
function check(id: string, asked: readonly Question[], stored: readonly UIMessage[]): readonly string[] {
  const problems: string[] = [];
  const texts = stored.map(textOf);
  for (const [at, { role }] of stored.entries()) {
    if (role !== 'assistant') continue;
    if (stored[at - 1]?.role !== 'user') problems.push(`message ${at} of ${id} answers no question`);
    else if (texts[at] !== String(at - 1))
      problems.push(`message ${at} of ${id} did not see the messages before it: it saw ${texts[at]}`);
  }
  for (const { answer, status, text } of asked) {
    const places = texts.flatMap((stored_, at) => (stored_ === text ? [at] : []));
    const [at = -1] = places;
    if (places.length > 1) problems.push(`${text} of ${id} is stored ${places.length} times`);
    if (status === 200 && (at === -1 || texts[at + 1] !== answer))
      problems.push(`the answer to ${text} of ${id} is not stored after it`);
  }
  return problems;
}

async function untilStored(client: Cluster['client'], id: string): Promise<void> {
  await client.ask(`/api/memory/conversations/${id}/messages?userId=of-${id}`, {
    isFinal: ({ data, status }) =>
      status === 200 && (data as { readonly messages: readonly unknown[] }).messages.length > 0,
  });
}

async function storedMessages(client: Cluster['client'], id: string): Promise<readonly UIMessage[]> {
  const { data } = await client.ask(`/api/memory/conversations/${id}/messages?userId=of-${id}`);
  return (data as { readonly messages: readonly UIMessage[] }).messages;
}
