import { setTimeout as delay } from 'node:timers/promises';
import { resumeData, type Shape, shapes, type Work } from '../workflows.ts';
import type { Cluster } from './cluster.ts';
import type { SeenEvent } from './http-client.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface DriveOptions {
  readonly executions: number;
  /** How many at a time. */
  readonly concurrency: number;
  readonly random: SeededRandom;
  /** How long an execution may take before it counts as lost. Default: 60 000. */
  readonly patienceMs?: number;
  /** Greatest time of a body; default: 150. */
  readonly bodyMs?: number;
  /** Called after each; the drive goes on for as long as this says so, past the number of executions. */
  readonly goesOn?: () => boolean;
}

/** What a client knows of an execution in the end. */
export interface Driven {
  readonly id: string;
  readonly shape: Shape;
  readonly input: Work;
  /** As they came, over however many connections. */
  readonly events: readonly SeenEvent[];
  /** Why it did not come to its end; undefined where it did. */
  readonly lost: string | undefined;
}

/** Starts executions of all shapes, follows them over whatever breaks, answers what they ask, until all are at their end. */
export async function drive(cluster: Cluster, options: DriveOptions): Promise<readonly Driven[]> {
  const { concurrency, executions, goesOn = () => false, random } = options;
  const driven: Driven[] = [];
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < executions || goesOn()) {
      const shape = shapes[begun % shapes.length] ?? random.pick(shapes);
      begun += 1;
      const input = { n: random.between(0, 1_000), ms: random.between(10, options.bodyMs ?? 150) };
      driven.push(await driveOne(cluster, { id: `${shape.id}-${begun}`, shape, input }, options.patienceMs ?? 60_000));
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
    // Taken: by an earlier try, whose answer was lost.
    if (started.status !== 200 && (started.status !== 409 || started.tries === 0))
      return end(`its start was answered with ${started.status}`);
    while (!until.aborted) {
      const status = await followToRest(client, { path, events, until });
      if (status === undefined) continue;
      if (status !== 'suspended') return end();
      const answer = await client.ask(`${path}/resume`, { body: { resumeData }, patienceMs });
      // Not suspended: an earlier try, whose answer was lost, has resumed it.
      if (answer.status !== 200 && answer.status !== 404)
        return end(`its resumption was answered with ${answer.status}`);
    }
    return end(`it was not at its end after ${patienceMs} ms`);
  } catch (error) {
    return end(error instanceof Error ? error.message : String(error));
  }
}

/** @returns its status at the rest that this connection came to; undefined where it broke, or there is more to come. */
async function followToRest(
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
