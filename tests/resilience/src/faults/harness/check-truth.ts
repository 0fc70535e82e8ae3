import type { Cluster } from './cluster.ts';
import type { Driven } from './drive.ts';
import type { Replica } from './replica-process.ts';

/** How many executions are checked in parallel. */
const lanes = 16;

export interface Truth {
  readonly lost: number;
  readonly recordedTwice: number;
  readonly problems: readonly string[];
}

/**
 * Checks the executions that clients have driven to their end: none is lost, each has the right
 * result, nothing is recorded twice, and every replica returns the same events, without gaps, that
 * the client has received over all its connections.
 */
export async function checkTruth(cluster: Cluster, driven: readonly Driven[]): Promise<Truth> {
  const lost = driven.flatMap(({ id, lost: why }) => (why === undefined ? [] : [`${id} is lost: ${why}`]));
  const wrong = driven.filter((one) => one.lost === undefined).flatMap(wrongResult);
  const twice = await checkJournal(cluster);
  const open = await notEnded(cluster);
  const unequal = await unequalEvents(cluster, driven);
  return {
    lost: lost.length,
    recordedTwice: twice.length,
    problems: [...lost, ...wrong, ...twice, ...(lost.length === 0 ? open : []), ...unequal],
  };
}

function wrongResult({ events, id, input, shape }: Driven): readonly string[] {
  const { result, status } = JSON.parse(events.at(-1)?.text ?? '{}') as {
    readonly status?: string;
    readonly result?: unknown;
  };
  const [got, expected] = [JSON.stringify(result), JSON.stringify(shape.result(input))];
  return status === 'completed' && got === expected ? [] : [`${id} ended ${status} with ${got}, not with ${expected}`];
}

/**
 * Finds steps that are in a journal twice, and steps and workflows (including sub-workflows) that
 * started or ended twice.
 */
export async function checkJournal(cluster: Cluster): Promise<readonly string[]> {
  const events = await cluster.pool.query<{ id: string; type: string; step: string; count: number }>(
    `select e.id, v.event::jsonb->>'type' as type, v.event::jsonb->>'from' as step, count(*)::integer as count
     from halyard.execution_events v join halyard.executions e on e.key = v.execution_key
     where v.event::jsonb->>'type' in ('workflow-start', 'step-start', 'step-complete', 'step-error', 'workflow-complete', 'workflow-error')
     group by 1, 2, 3 having count(*) > 1`,
  );
  return [
    ...(await recordedTwice(cluster)),
    ...events.rows.map(({ count, id, step, type }) => `${id}: ${type} of ${step} was emitted ${count} times`),
  ];
}

/** Finds steps that are in a journal twice. */
export async function recordedTwice({ pool }: Cluster): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string; path: string; count: number }>(
    `select e.id, j.path, count(*)::integer as count from halyard.execution_journal j join halyard.executions e on e.key = j.root_key
     group by 1, 2 having count(*) > 1`,
  );
  return rows.map(({ count, id, path }) => `${id}: ${path} is in the journal ${count} times`);
}

async function notEnded({ pool }: Cluster): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string; status: string; runner: string | null }>(
    `select id, status, runner from halyard.executions where status <> 'completed' or runner is not null`,
  );
  return rows.map(({ id, runner, status }) => `${id} is ${status} at the end; its runner is ${runner ?? 'none'}`);
}

async function unequalEvents(cluster: Cluster, driven: readonly Driven[]): Promise<readonly string[]> {
  const problems: string[] = [];
  const left = [...driven];
  const lane = async (): Promise<void> => {
    for (let one = left.pop(); one !== undefined; one = left.pop())
      problems.push(...(await unequalEventsOf(cluster, one)));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return problems;
}

async function unequalEventsOf(cluster: Cluster, { events, id, lost, shape }: Driven): Promise<readonly string[]> {
  const path = `/workflows/${shape.id}/executions/${id}/stream`;
  const problems: string[] = [];
  const seen = events.map(({ text }) => text);
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  if (gap >= 0) problems.push(`${id}: its client received event ${events[gap]?.seq} as number ${gap + 1}`);
  // The stream of an execution that did not end does not end either.
  if (lost !== undefined) return problems;
  for (const replica of cluster.replicas.filter(({ isListening }) => isListening)) {
    const returned = await eventsOf(cluster, replica, path);
    const different = Math.max(returned.length, seen.length) - commonStart(returned, seen);
    if (different > 0)
      problems.push(
        `${id}: replica ${replica.name} returns ${returned.length} events, its client received ${seen.length}; ${different} differ`,
      );
  }
  return problems;
}

async function eventsOf(cluster: Cluster, replica: Replica, path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  try {
    for await (const { text } of cluster.client.events(path, {
      after: 0,
      replica,
      signal: AbortSignal.timeout(20_000),
    }))
      texts.push(text);
  } catch (error) {
    texts.push(error instanceof Error ? error.message : String(error));
  }
  return texts;
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((text, index) => text !== other[index]);
  return end < 0 ? one.length : end;
}
