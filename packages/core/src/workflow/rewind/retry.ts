import {
  type Execution,
  type ExecutionLog,
  InvalidInputError,
  type JournalEntry,
  type Owner,
} from '@halyard/contracts';
import { childPath, toDecider, isBelow, isDecision, outerPath, records, toSegments } from '../definition/place.ts';
import { stepAtPath } from '../definition/step-at-path.ts';
import { hasCode } from '../definition/step-index.ts';
import type { AnyStep } from '../definition/step.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptFields } from '../engine/accept-start.ts';
import type { RetryOptions } from '../engine/runtime-options.ts';
import { endingPath } from '../interpreter/compensation/recorded-ending.ts';
import { checkAllowed } from './check-allowed.ts';
import { type Deletions, isDeleted, stateRewinds } from './rewind.ts';

/**
 * Lets a failed execution continue from the steps that failed. Their attempts count from the
 * beginning, and their idempotency keys stay the same. Only steps whose effect was undone get new
 * ones.
 *
 * @param root a root execution.
 * @param user whom steps receive from now on; default: the user of before.
 * @throws InvalidInputError (`EXECUTION_NOT_FAILED`), HalyardError (`OPERATION_NOT_ALLOWED`)
 */
export async function retryExecution(
  store: ExecutionLog,
  owner: Owner,
  { root, workflow }: { readonly root: Execution; readonly workflow: WorkflowDefinition },
  { requestedBy, user }: Pick<RetryOptions, 'requestedBy' | 'user'> = {},
): Promise<void> {
  checkAllowed('retry', workflow, requestedBy);
  if (root.status !== 'error') throw notFailed(root);
  const journal = await store.journal(owner, root.id);
  const plan = planRetry(workflow, journal);
  const outcome = await store.rewind(owner, {
    ...plan,
    executionId: root.id,
    expectedSeq: root.seq,
    expectedSignals: root.signals,
    newKeys: pathsWithNewKeys(workflow, journal, plan),
    ...(user !== undefined && { user: acceptFields(user, 'user') }),
    states: stateRewinds(journal, plan),
  });
  // Another request has retried it.
  if (outcome === 'outdated') throw notFailed({ ...root, status: 'running' });
}

function notFailed({ id, status }: Execution): InvalidInputError {
  return new InvalidInputError(`Execution is ${status}, and only a failed one can be retried: ${id}`, {
    code: 'EXECUTION_NOT_FAILED',
  });
}

/**
 * Finds the entries that a retry of a failed execution deletes from its journal: the failed steps,
 * and the entries of the steps around them. Steps that succeeded stay recorded, also in parallel
 * branches, and so do failures that the workflow handled. A failed sub-workflow starts again, as a
 * new execution.
 *
 * If steps were undone, the execution continues at the first of them.
 *
 * If no step failed, a result that did not fit deletes the last step; after a time limit nothing is
 * deleted.
 */
function planRetry({ steps }: WorkflowDefinition, journal: readonly JournalEntry[]): Deletions {
  const entries = new Map(journal.map((entry) => [entry.path, entry]));
  if (entries.has(endingPath)) return planFromFirstUndone(steps, journal);
  const failed = steps.find((step) => hasFailed(step, entries.get(step.id)));
  if (failed !== undefined) return planStep(failed, failed.id, entries);
  const last = steps.at(-1);
  return { paths: [], entries: last !== undefined && entries.has(last.id) ? [last.id] : [] };
}

/** Steps that were undone run again, and so does everything after the first of them. */
function planFromFirstUndone(steps: readonly AnyStep[], journal: readonly JournalEntry[]): Deletions {
  const undone = journal.filter((entry) => records(entry, 'compensate'));
  const first = steps.findIndex(({ id }) => undone.some(({ path }) => isBelow(path, id)));
  return { paths: steps.slice(Math.max(0, first)).map(({ id }) => id), entries: [endingPath] };
}

/**
 * Of the steps that run again, those that are meant to have their effect again: they were undone,
 * or tidied up in `finally`. The others may have had their effect already, also a step that failed,
 * and must not have it twice.
 */
function pathsWithNewKeys(
  workflow: WorkflowDefinition,
  journal: readonly JournalEntry[],
  plan: Deletions,
): readonly string[] {
  return journal
    .filter(({ path, status }) => status === 'success' && isDeleted(path, plan))
    .filter((entry) => records(entry, 'compensate') || isFinally(workflow, entry.path))
    .map((entry) => (records(entry, 'compensate') ? toDecider(entry.path) : entry.path));
}

function isFinally(workflow: WorkflowDefinition, path: string): boolean {
  if (isDecision(path)) return false;
  const step = stepAtPath(workflow, path)?.step;
  const outer = stepAtPath(workflow, outerPath(path))?.step;
  return step !== undefined && outer?.roles?.[step.id] === 'finally';
}

function planStep(step: AnyStep, path: string, entries: ReadonlyMap<string, JournalEntry>): Deletions {
  if (step.workflow !== undefined) return { paths: [path], entries: [] };
  if (hasCode(step)) return { paths: [], entries: [path, ...failedCalls(path, entries)] };
  const inner = stepsToRetry(step).flatMap((each) =>
    listPaths(each, path, entries)
      .filter((innerPath) => hasFailed(each, entries.get(innerPath)))
      .map((innerPath) => planStep(each, innerPath, entries)),
  );
  const afterwards = step.steps.filter(({ id }) => step.roles?.[id] === 'finally');
  return {
    paths: [...inner.flatMap(({ paths }) => paths), ...afterwards.map(({ id }) => childPath(path, id))],
    entries: [path, ...inner.flatMap((plan) => plan.entries)],
  };
}

/** The step whose failure is that of the code. Failures that the code handled stay recorded. */
function failedCalls(path: string, entries: ReadonlyMap<string, JournalEntry>): readonly string[] {
  const stepId = entries.get(path)?.error?.stepId;
  return [...entries.values()]
    .filter((entry) => isBelow(entry.path, path) && entry.status === 'error' && entry.error?.stepId === stepId)
    .map((entry) => entry.path);
}

/** In `andTry` with a `catch`, the failure of the tried step was handled. */
function stepsToRetry({ roles = {}, steps }: AnyStep): readonly AnyStep[] {
  const hasCatch = Object.values(roles).includes('catch');
  return hasCatch ? steps.filter(({ id }) => roles[id] !== undefined) : steps;
}

/** The path of an inner step: in a loop, one for each item. */
function listPaths({ id }: AnyStep, path: string, entries: ReadonlyMap<string, JournalEntry>): readonly string[] {
  return [...entries.keys()].filter(
    (one) => isBelow(one, path) && !isDecision(one) && outerPath(one) === path && toSegments(one).at(-1)?.id === id,
  );
}

function hasFailed(step: AnyStep, entry: JournalEntry | undefined): boolean {
  return entry?.status === 'error' && step.outputOnError === undefined;
}
