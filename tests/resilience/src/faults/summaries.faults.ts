/**
 * Long conversations on three replicas that are killed again and again: checks that no fact is
 * forgotten, and that nothing is summarised twice.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { UIMessage } from 'ai';
import { textOf } from './chats-reader.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { factsIn, tell } from './summaries-agent.ts';

await runScript({
  name: 'summaries',
  plants: { 'forgotten-summaries': /was summarised twice/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const cluster = await startCluster({ random, plant });
    try {
      const size = {
        conversations: number('conversations', 6),
        questions: number('questions', isShort ? 40 : 100),
        kills: number('kills', isShort ? 4 : 20),
      };
      return await tellAll(cluster, size, random);
    } finally {
      await cluster.close();
    }
  },
});

interface Size {
  readonly conversations: number;
  readonly questions: number;
  readonly kills: number;
}

async function tellAll(cluster: Cluster, size: Size, random: SeededRandom): Promise<Outcome> {
  const ids = Array.from({ length: size.conversations }, (_, index) => `story-${index}`);
  const problems: string[] = [];
  let lost = 0;
  const telling = ids.map(async (id) => {
    for (let fact = 0; fact < size.questions; fact += 1) {
      const status = await ask(cluster, id, tell(fact));
      if (status === undefined) lost += 1;
      else if (status !== 200) problems.push(`fact-${fact} of ${id} was answered with ${status}`);
    }
  });
  const isDone = { now: false };
  const killing = killReplicas(cluster, size.kills, random, isDone);
  await Promise.all(telling);
  isDone.now = true;
  const kills = await killing;

  let summaries = 0;
  for (const id of ids) {
    const answer = await cluster.client.ask('/agents/keeper/text', { body: request(id, 'What do you know?') });
    const known = factsIn((answer.data as { readonly text: string }).text);
    const { data } = await cluster.client.ask(`/api/memory/conversations/${id}/messages?userId=of-${id}&limit=1000`);
    const { messages } = data as { readonly messages: readonly UIMessage[] };
    const own = messages.filter(({ role }) => role === 'system');
    summaries += own.length;
    problems.push(...forgotten(id, messages, known), ...repeated(id, own));
    if (own.length === 0) problems.push(`${id} was never summarised`);
  }
  return { figures: { ...size, kills, lost, summaries }, problems };
}

/** Kills a replica while it answers, and starts it again. @returns how many were killed. */
async function killReplicas(
  { replicas }: Cluster,
  kills: number,
  random: SeededRandom,
  isDone: { readonly now: boolean },
): Promise<number> {
  let killed = 0;
  while (killed < kills && !isDone.now) {
    await delay(random.between(300, 900));
    const victim = random.pick(replicas);
    await victim.signal('SIGKILL');
    killed += 1;
    await victim.start();
  }
  return killed;
}

/** @returns the status; undefined when the connection broke. */
async function ask({ client }: Cluster, id: string, text: string): Promise<number | undefined> {
  try {
    const { status } = await client.once('/agents/keeper/text', { replica: client.any(), body: request(id, text) });
    return status;
  } catch {
    return undefined;
  }
}

function request(id: string, input: string): object {
  return { input, options: { conversationId: id, userId: `of-${id}` } };
}

/** Facts that are stored, and that the last answer does not know. */
function forgotten(id: string, messages: readonly UIMessage[], known: readonly string[]): readonly string[] {
  const told = messages.filter(({ role }) => role === 'user').flatMap((message) => factsIn(textOf(message)));
  return told.filter((fact) => !known.includes(fact)).map((fact) => `${fact} of ${id} was forgotten`);
}

/** Each summary replaces more messages than the one before it. */
function repeated(id: string, summaries: readonly UIMessage[]): readonly string[] {
  const untils = summaries.map(({ metadata }) => (metadata as { summary: { until: string } }).summary.until);
  return untils.slice(1).flatMap((until, at) => {
    const before = untils[at] ?? '';
    return until > before ? [] : [`${id} was summarised twice until ${until}`];
  });
}
