import { setTimeout as delay } from 'node:timers/promises';
import { resumeData, type Shape, shapes, type Work } from '../workflows.ts';
import type { Cluster } from './cluster.ts';
import type { SeenEvent } from './http-client.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface DriveOptions {
  readonly executions: number;
  /**
   * Starts the ids of the executions, so that several drives can share a cluster. Default: none.
   */
  readonly prefix?: string;
  /** How many executions run at a time. */
  readonly concurrency: number;
  readonly random: SeededRandom;
  /** How long an execution may take before it counts as lost. Default: 60 000. */
  readonly patienceMs?: number;
  /** Longest duration of a step body. Default: 150. */
  readonly bodyMs?: number;
  /** Called after each execution. More executions are started while it returns true. */
  readonly shouldContinue?: () => boolean;
}

/** A client's knowledge of an execution at the end. */
export interface Driven {
  readonly id: string;
  readonly shape: Shape;
  readonly input: Work;
  /** In the order received, over all connections. */
  readonly events: readonly SeenEvent[];
  /** Why the execution did not end. Undefined when it did. */
  readonly lost: string | undefined;
}

/**
 * Starts executions of all workflows, follows their events over broken connections, and resumes
 * them, until all have ended.
 */
export async function drive(cluster: Cluster, options: DriveOptions): Promise<readonly Driven[]> {
  const { concurrency, executions, prefix = '', shouldContinue = () => false, random } = options;
  const driven: Driven[] = [];
  let started = 0;
  const client = async (): Promise<void> => {
    while (started < executions || shouldContinue()) {
      const shape = shapes[started % shapes.length] ?? random.pick(shapes);
      started += 1;
      const input = { n: random.between(0, 1_000), ms: random.between(10, options.bodyMs ?? 150) };
      driven.push(
        await driveOne(cluster, { id: `${prefix}${shape.id}-${started}`, shape, input }, options.patienceMs ?? 300_000),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return driven;
}

async function driveOne(
  { client }: Cluster,
  { id, input, shape }: Pick<Driven, 'id' | 'input' | 'shape'>,
  patienceMs: number,
): Promise<Driven> {
  const events: SeenEvent[] = [];
  const path = `/workflows/${shape.id}/executions/${id}`;
  const until = AbortSignal.timeout(patienceMs);
  const end = (lost?: string): Driven => ({ id, shape, input, events, lost });
  try {
    const started = await client.ask(`/workflows/${shape.id}/execute`, {
      body: { input, options: { executionId: id } },
      patienceMs,
    });
    // 409: an earlier attempt, whose response was lost, has started it.
    if (started.status !== 200 && (started.status !== 409 || started.tries === 0))
      return end(`the response to its start was ${started.status}`);
    while (!until.aborted) {
      const status = await followUntilIdle(client, { path, events, until });
      if (status === undefined) continue;
      if (status !== 'suspended') return end();
      const answer = await client.ask(`${path}/resume`, { body: { resumeData }, patienceMs });
      // 404: an earlier attempt, whose response was lost, has resumed it.
      if (answer.status !== 200 && answer.status !== 404)
        return end(`the response to its resumption was ${answer.status}`);
    }
    return end(`it had not ended after ${patienceMs} ms`);
  } catch (error) {
    return end(error instanceof Error ? error.message : String(error));
  }
}

/** @returns the status when the execution is idle; undefined when the connection broke first. */
async function followUntilIdle(
  client: Cluster['client'],
  { events, path, until }: { readonly path: string; readonly events: SeenEvent[]; readonly until: AbortSignal },
): Promise<string | undefined> {
  const after = events.at(-1)?.seq ?? 0;
  try {
    for await (const event of client.events(`${path}/stream`, { after, replica: client.any(), signal: until }))
      events.push(event);
  } catch {
    await delay(100);
    return undefined;
  }
  const last = events.at(-1);
  if (last?.type !== 'workflow-result') {
    await delay(50);
    return undefined;
  }
  return (JSON.parse(last.text) as { readonly status: string }).status;
}
