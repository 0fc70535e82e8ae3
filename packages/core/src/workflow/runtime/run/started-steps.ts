import type { ClaimedExecution, Execution, ExecutionEvent, ExecutionStore } from '@halyard/contracts';
import { pathOfInstance, type StepIndex } from '../../definition/step-index.ts';
import { Generations } from './generations.ts';

/** Step instances whose `step-start` was written by an earlier run, by execution. */
export type StartedSteps = ReadonlyMap<string, Set<string>>;

/** Reads which steps of a claimed execution have started. Steps that were rewound have not. */
export async function readStartedSteps(
  store: ExecutionStore,
  { children, execution }: ClaimedExecution,
  index: StepIndex,
): Promise<StartedSteps> {
  const generations = new Generations(execution.rewinds);
  const ownStarts = (await readStepStarts(store, execution)).filter(({ event, seq }) => {
    const path = pathOfInstance(index, event.from);
    return path === undefined || !generations.isOutdated(path, seq);
  });
  const started = new Map([[execution.id, stepsOf(ownStarts)]]);
  for (const child of children)
    if (!generations.reachInto(child.path)) started.set(child.id, stepsOf(await readStepStarts(store, child)));
  return started;
}

async function readStepStarts(store: ExecutionStore, { id, seq }: Execution): Promise<readonly ExecutionEvent[]> {
  if (seq === 0) return [];
  const events = await store.events('anyone', id, { after: 0, limit: seq });
  return events.filter(({ event }) => event.type === 'step-start');
}

function stepsOf(starts: readonly ExecutionEvent[]): Set<string> {
  return new Set(starts.map(({ event }) => event.from));
}
