import type { Execution, ExecutionEvent, JournalEntry, JsonObject, JsonValue } from '@halyard/contracts';
import { journaledStates } from '../../../../packages/core/src/workflow/rewind/journaled-state.ts';
import type { Observed } from './observed.ts';
import { possibleEnds } from './possible-ends.ts';
import type { TreeStep } from './random-tree.ts';
import type { Simulation } from './simulation.ts';
import { must } from './violation.ts';

/** How an execution ended. */
export interface Ended {
  readonly tree: readonly TreeStep[];
  readonly row: Execution;
  readonly journal: readonly JournalEntry[];
}

/** Checks the store and the processes after all executions have ended. @throws Violation */
export async function checkEnds(simulation: Simulation): Promise<readonly Ended[]> {
  const { clock, living, store, trees } = simulation;
  const ended: Ended[] = [];
  for (const [workflowId, tree] of trees) {
    const id = `run-${workflowId}`;
    const row = await store.find('anyone', id);
    must(row !== undefined, () => `${id} is missing`);
    const journal = await store.journal('anyone', id);
    const observed = simulation.observed(id);
    checkEnd(tree, row, observed);
    checkJournal(journal, observed);
    for (const execution of [row, ...(await descendants(simulation, id))]) {
      checkRow(execution, observed, journaledStates(journal));
      checkEvents(id, await store.events('anyone', execution.id, { after: 0, limit: 100_000 }));
    }
    ended.push({ tree, row, journal });
  }
  clock.advance(1_000_000_000);
  must((await store.backlog([...trees.keys()], 100)).count === 0, () => 'an execution that has ended is still due');
  must((await simulation.nextDueInMs()) === undefined, () => 'an execution that has ended will be due again');
  for (const process of living) {
    const { executor, name, spans } = process;
    must(executor.activeCount === 0, () => `${name} still runs an execution`);
    must(executor.waiters.count === 0, () => `${name} still has waiters`);
    must(spans.open.length === 0, () => `${name} has not ended the spans ${spans.open.join(', ')}`);
    must(spans.ended.length === spans.all.length, () => `${name} has ended a span more than once`);
    must(process.store.watches === 0, () => `${name} still watches an execution`);
  }
  return ended;
}

/** Checks that an execution ended as it did in the run without faults. @throws Violation */
export function checkSameEnd(one: Ended, faultless: Ended): void {
  if (!isDeterministic(one.tree) || one.row.status === 'cancelled') return;
  const summary = ({ journal, row }: Ended): string =>
    JSON.stringify([
      row.status,
      row.output,
      row.error,
      journal
        // These contain generated ids. A body that runs again also sets the state again.
        .filter(({ path, type }) => !path.endsWith('#execution') && type !== 'state')
        .toSorted((a, b) => (a.path < b.path ? -1 : 1))
        .map(({ attempts, output, path, status, type }) => [path, type, status, output, attempts]),
    ]);
  must(
    summary(one) === summary(faultless),
    () => `it ended with ${summary(one)}, and without faults with ${summary(faultless)}`,
  );
}

/** Whether the outcome does not depend on the order in which things happen. */
function isDeterministic(steps: readonly TreeStep[]): boolean {
  return steps.every((step) => {
    if (step.kind === 'race') return false;
    if ('body' in step) return step.body.end === 'output' && step.body.failures < step.body.attempts;
    if (step.kind === 'doWhile') return false;
    return 'steps' in step ? isDeterministic(step.steps) : true;
  });
}

function checkEnd(tree: readonly TreeStep[], row: Execution, { isCancelling }: Observed): void {
  const { error, id, output, status } = row;
  if (isCancelling && status === 'cancelled') return;
  must(
    error === undefined || error.code === 'STEP_FAILED',
    () => `${id} failed with an error of the interpreter: ${error?.message}`,
  );
  const ends = possibleEnds(tree, 0);
  if (ends === undefined) return;
  const fits = ends.some((end) => {
    if (end.kind === 'value') return status === 'completed' && JSON.stringify(end.value) === JSON.stringify(output);
    return end.kind === status;
  });
  must(
    fits,
    () => `${id} is ${status} with ${JSON.stringify(output ?? error)}, expected one of ${JSON.stringify(ends)}`,
  );
}

function checkJournal(journal: readonly JournalEntry[], { recorded }: Observed): void {
  const paths = journal.map(({ path }) => path);
  must(new Set(paths).size === paths.length, () => `recorded twice: ${paths.join(', ')}`);
  for (const path of paths)
    must(recorded.has(path), () => `${path} is in the journal, although no commit that wrote it was answered`);
  for (const path of recorded.keys()) must(paths.includes(path), () => `${path} was recorded and is missing`);
}

function checkRow(row: Execution, { states }: Observed, journaled: ReadonlyMap<string, JsonObject>): void {
  const { id, request, resumptions, runner, status, suspensions, timers, workflowState } = row;
  must(status !== 'running' && status !== 'suspended', () => `${id} is ${status} after its root has ended`);
  const waits = [...suspensions, ...resumptions, ...timers].map(({ path }) => path);
  must(waits.length === 0 && request === null && runner === null, () => `${id} still waits for ${waits.join(', ')}`);
  const state = sorted(states.get(id) ?? {});
  must(sorted(workflowState) === state, () => `the state of ${id} is ${sorted(workflowState)}, expected ${state}`);
  const derived = sorted(journaled.get(id) ?? {});
  must(derived === state, () => `the journal results in the state ${derived} of ${id}, expected ${state}`);
}

function checkEvents(rootId: string, events: readonly ExecutionEvent[]): void {
  const starts = new Set<JsonValue>();
  for (const [index, { event, seq }] of events.entries()) {
    const what = (): string => `${rootId}: ${JSON.stringify(events)}`;
    must(seq === index + 1, () => `event ${index + 1} has number ${seq}: ${what()}`);
    must((event.type === 'workflow-start') === (index === 0), () => `the start is not the first event: ${what()}`);
    const isLast = event.type === 'workflow-result' && event['status'] !== 'suspended';
    must(isLast === (index === events.length - 1), () => `the result is not the last event: ${what()}`);
    if (event.type !== 'step-start') continue;
    must(!starts.has(event.from), () => `${event.from} starts twice: ${what()}`);
    starts.add(event.from);
  }
}

async function descendants({ store }: Simulation, parentExecutionId: string): Promise<readonly Execution[]> {
  const { executions } = await store.list('anyone', { parentExecutionId, limit: 1_000, offset: 0 });
  const below = await Promise.all(executions.map(({ id }) => descendants({ store } as Simulation, id)));
  return [...executions, ...below.flat()];
}

function sorted(fields: Readonly<Record<string, JsonValue>>): string {
  return JSON.stringify(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
