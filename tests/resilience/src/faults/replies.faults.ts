/**
 * Durable answers with tools on three replicas that are killed: checks what each client shows, and
 * that no recorded tool call was made again.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createPostgresStorage } from '@halyard/memory-postgres';
import { isToolUIPart, type UIMessage } from 'ai';
import { readAllBodies, readBodies } from './harness/body-log.ts';
import { type Cluster, startCluster } from './harness/cluster.ts';
import type { Replica } from './harness/replica-process.ts';
import { type Outcome, runScript } from './harness/run-script.ts';
import type { SeededRandom } from './harness/seeded-random.ts';
import { callOf, type Found, lookups, toolMs, wholeReply } from './replies-agent.ts';
import { ReplyReader } from './replies-reader.ts';

/** How often a replica is killed because of the same answer. */
const maxHits = 3;

await runScript({
  name: 'answers',
  plants: { 'forgotten-journal': /has stored the (?:texts|results)/ },
  run: async ({ options: { isShort, number }, plant, random }) => {
    const cluster = await startCluster({ random, plant });
    try {
      const size = { answers: number('answers', isShort ? 24 : 200), kills: number('kills', isShort ? 3 : 30) };
      return await answerAll(cluster, size, random);
    } finally {
      await cluster.close();
    }
  },
});

async function answerAll(
  cluster: Cluster,
  { answers, kills }: { readonly answers: number; readonly kills: number },
  random: SeededRandom,
): Promise<Outcome> {
  const { client, leaseMs, replicas } = cluster;
  const betweenKillsMs = 1_500;
  const until = performance.now() + kills * (betweenKillsMs + leaseMs) + 60_000;
  const readers = Array.from({ length: answers }, (_, index) => new ReplyReader(`find-${index}`, client));
  // They begin while replicas are killed, all before the last kill.
  const reading = readers.map((reader, index) =>
    delay((index / answers) * kills * betweenKillsMs).then(() => reader.read(until)),
  );
  const hits = new Map<string, number>();
  for (let kill = 0; kill < kills; kill += 1) {
    await delay(betweenKillsMs);
    const victim = await pickWithRecordedCall(replicas, hits, random);
    await victim.signal('SIGKILL');
    await victim.start();
  }
  await Promise.all(reading);

  const problems = readers.flatMap((reader) => reader.problems);
  for (const reader of readers) problems.push(...checkMessage(reader, await reader.stored()));
  const { calls, madeAgain, takenOver } = await checkCalls(cluster, problems);
  return {
    figures: {
      answers,
      kills,
      takenOver,
      broken: readers.reduce((sum, { breaks }) => sum + breaks, 0),
      streamed: readers.filter(({ hasStreamed }) => hasStreamed).length,
      toolCalls: calls,
      unrecordedCallsMadeAgain: madeAgain,
    },
    problems,
  };
}

/**
 * A replica with an answer that has just made its second call, so that the first one is recorded,
 * if there is one soon.
 *
 * @param hits how often an answer was the reason to choose its replica. Nobody chooses the same
 * answer again and again: one whose process dies eight times in a row is quarantined.
 */
async function pickWithRecordedCall(
  replicas: readonly Replica[],
  hits: Map<string, number>,
  random: SeededRandom,
): Promise<Replica> {
  for (let wait = 0; wait < 100; wait += 1) {
    const since = Date.now() - toolMs;
    const inSecondCall = replicas.flatMap((replica) => {
      const call = readBodies(replica.bodyLog).find(
        ({ at, execution, path }) => path === 'call-1' && at > since && (hits.get(execution) ?? 0) < maxHits,
      );
      return call === undefined ? [] : [{ replica, execution: call.execution }];
    });
    if (inSecondCall.length > 0) {
      const { execution, replica } = random.pick(inSecondCall);
      hits.set(execution, (hits.get(execution) ?? 0) + 1);
      return replica;
    }
    await delay(20);
  }
  return random.pick(replicas);
}

/** A client must show the message of the agent, as it is stored, under the same id. */
function checkMessage({ conversationId: id, message }: ReplyReader, stored: UIMessage | undefined): string[] {
  if (message === undefined || stored === undefined) return [`${id} has no answer`];
  const problems: string[] = [];
  if (message.id !== stored.id) problems.push(`${id} shows the message ${message.id}, but ${stored.id} is stored`);
  for (const [where, { parts }] of [['shows', message] as const, ['has stored', stored] as const]) {
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (texts.join('|') !== wholeReply.join('|')) problems.push(`${id} ${where} the texts ${texts.join('|')}`);
    const outputs = parts
      .filter(isToolUIPart)
      .map(({ output, state }) => `${state} ${(output as Found | undefined)?.found}`);
    const expected = Array.from({ length: lookups }, (_, call) => `output-available ${call * 7}`);
    if (outputs.join() !== expected.join()) problems.push(`${id} ${where} the results ${outputs.join()}`);
  }
  return problems;
}

interface Calls {
  readonly calls: number;
  /** Calls that a killed process had not recorded. */
  readonly madeAgain: number;
  readonly takenOver: number;
}

/** The recorded attempt of a tool call must be the last one that was made. */
async function checkCalls({ directory, server }: Cluster, problems: string[]): Promise<Calls> {
  const storage = createPostgresStorage({ connectionString: server.connectionString });
  const starts = Map.groupBy(readAllBodies(directory), ({ attempt }) => callOf(attempt));
  let [calls, madeAgain, takenOver] = [0, 0, 0];
  try {
    const filter = { parentExecutionId: null, workflowId: 'answer:researcher', limit: 1_000, offset: 0 };
    const { executions } = await storage.executions.list('anyone', filter);
    for (const { conversationId, epoch, id, status } of executions) {
      if (status !== 'completed') problems.push(`the execution ${id} of ${conversationId} is ${status}`);
      if (epoch > 1) takenOver += 1;
      for (const { output, path } of await storage.executions.journal('anyone', id)) {
        const call = /^answer#step-\d+\/tool\/(.*)$/.exec(path)?.[1];
        if (call === undefined) continue;
        calls += 1;
        const recorded = /"attempt":"([^"]*)"/.exec(JSON.stringify(output))?.[1] ?? '';
        const made = starts.get(callOf(recorded)) ?? [];
        madeAgain += made.length - 1;
        const last = made.at(-1);
        if (last === undefined) problems.push(`${call} of ${conversationId} was recorded, but not made`);
        else if (last.attempt !== recorded) {
          const times = made.map(({ at, attempt, replica }) => {
            const time = `${at - (made[0]?.at ?? 0)} ms on ${replica}`;
            return attempt === recorded ? `${time} (recorded)` : time;
          });
          problems.push(`${call} of ${conversationId} was recorded and made again: ${times.join('; ')}`);
        }
      }
    }
  } finally {
    await storage.close();
  }
  return { calls, madeAgain, takenOver };
}
