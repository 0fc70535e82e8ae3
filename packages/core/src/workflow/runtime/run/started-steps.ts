import type { ClaimedExecution, Execution, ExecutionEvent, ExecutionStore } from '@halyard/contracts';
import { pathOfInstance, type StepIndex } from '../../definition/step-index.ts';
import { Generations } from './generations.ts';

/** Sub-workflows with at most this many events are read together, others one by one: a store answers for each with one text. */
const maxShortHistory = 1_000;

/** Step instances whose `step-start` was written by an earlier run, by execution. */
export type StartedSteps = ReadonlyMap<string, Set<string>>;

/** Reads which steps of a claimed execution have started. Steps that were rewound have not. */
export async function readStartedSteps(
  store: ExecutionStore,
  { children, execution }: ClaimedExecution,
  index: StepIndex,
): Promise<StartedSteps> {
  const generations = new Generations(execution.rewinds);
  const ownStarts = stepStarts(await readEvents(store, execution)).filter(({ event, seq }) => {
    const path = pathOfInstance(index, event.from);
    return path === undefined || !generations.isOutdated(path, seq);
  });
  const started = new Map([[execution.id, stepsOf(ownStarts)]]);
  const kept = children.filter(({ path }) => !generations.reachInto(path));
  const short = kept.filter(({ seq }) => seq <= maxShortHistory);
  const histories = await store.histories('anyone', idsOf(short), maxShortHistory);
  for (const { id } of short) started.set(id, stepsOf(stepStarts(histories.get(id) ?? [])));
  for (const long of kept)
    if (long.seq > maxShortHistory) started.set(long.id, stepsOf(stepStarts(await readEvents(store, long))));
  return started;
}

async function readEvents(store: ExecutionStore, { id, seq }: Execution): Promise<readonly ExecutionEvent[]> {
  return seq === 0 ? [] : store.events('anyone', id, { after: 0, limit: seq });
}

function idsOf(executions: readonly Execution[]): readonly string[] {
  return executions.map(({ id }) => id);
}

function stepStarts(events: readonly ExecutionEvent[]): readonly ExecutionEvent[] {
  return events.filter(({ event }) => event.type === 'step-start');
}

function stepsOf(starts: readonly ExecutionEvent[]): Set<string> {
  return new Set(starts.map(({ event }) => event.from));
}
