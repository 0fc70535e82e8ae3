import {
  type Execution,
  type ExecutionLog,
  HalyardError,
  InvalidInputError,
  type JournalEntry,
  type JsonValue,
  NotSuspendedError,
  type Owner,
  type StateRewind,
} from '@halyard/contracts';
import {
  childPath,
  decidedRound,
  isAtOrBelow,
  isInside,
  itemPath,
  roundsAround,
  type Segment,
  toSegments,
} from '../definition/place.ts';
import { hasRounds, findStepPath, findStep, type StepPosition } from '../definition/step-index.ts';
import type { WorkflowDefinition } from '../definition/workflow-definition.ts';
import { acceptFields } from '../engine/accept-start.ts';
import type { ResumeOptions } from '../engine/runtime-options.ts';
import { endingPath } from '../interpreter/compensation/recorded-ending.ts';
import { acceptStepResumeData } from '../interpreter/waits/accept-resume-data.ts';
import { checkEventData } from '../interpreter/waits/check-event-resumption.ts';
import { checkAllowed } from './check-allowed.ts';
import { journaledStates } from './journaled-state.ts';

/** The journal entries to delete so that steps run again. */
export interface Deletions {
  /** Deleted with everything below them. */
  readonly paths: readonly string[];
  /** Deleted alone: the entries of the steps around. */
  readonly entries: readonly string[];
}

/** The entries to delete so that one step and its successors run again. */
export interface RewindPlan extends Deletions {
  /** The path of the step in the root's tree. */
  readonly path: string;
}

/** The names that error messages use for the fields of a request: `body/resumeData`. */
export interface FieldNames {
  readonly resumeData: string;
  readonly stepId: string;
}

export interface RewindFieldNames extends FieldNames {
  readonly newIdempotencyKeys: string;
}

interface RewindDependencies {
  readonly store: ExecutionLog;
  readonly workflowOf: (executionId: string) => Promise<WorkflowDefinition | undefined>;
}

/**
 * Rewinds an execution to a step it has reached: the records from there on are deleted. The steps
 * that run again keep their idempotency keys, unless an operator wants their effects again.
 *
 * @throws InvalidInputError for a step it has not reached, or data that does not fit;
 * NotSuspendedError when the execution changed in the meantime; HalyardError
 * (`OPERATION_NOT_ALLOWED`).
 */
export async function rewindExecution(
  { store, workflowOf }: RewindDependencies,
  owner: Owner,
  { execution, workflow }: { readonly execution: Execution; readonly workflow: WorkflowDefinition },
  {
    data,
    newIdempotencyKeys = false,
    requestedBy,
    resumedBy,
    stepId = '',
    user,
  }: Omit<ResumeOptions, 'resumeData'> & { readonly data: JsonValue },
  names: RewindFieldNames,
): Promise<void> {
  const { parentExecutionId, rootExecutionId } = execution;
  const root = parentExecutionId === null ? execution : await store.find(owner, rootExecutionId);
  const journal = await store.journal(owner, rootExecutionId);
  // It is being undone.
  if (journal.some(({ path }) => path === endingPath)) throw new NotSuspendedError(execution.id);
  const plan = planRewind(workflow, execution, journal, stepId, root && waitingPaths(root));
  if (plan === undefined || root === undefined)
    throw new InvalidInputError(`${names.stepId} names no suspended or earlier step: ${stepId}`);
  checkAllowed('rewind', await workflowOf(rootExecutionId), requestedBy);
  checkEventData(workflow, { stepId, data: data ?? undefined }, requestedBy === 'user');
  if (newIdempotencyKeys && requestedBy === 'user')
    throw new HalyardError('forbidden', 'OPERATION_NOT_ALLOWED', `${names.newIdempotencyKeys} is for operators`);
  const { path } = plan;
  // A rewind also ends a suspension from outside: the caller wants the execution to continue.
  const requests = root.suspensions.filter(({ kind }) => kind === 'request').map((suspension) => suspension.path);
  const accepted = data === null ? null : await acceptStepResumeData(workflow, stepId, data, names.resumeData);
  const resumption = { path, suspensionId: '', data: accepted, ...(resumedBy !== undefined && { resumedBy }) };
  const outcome = await store.rewind(owner, {
    executionId: rootExecutionId,
    expectedSeq: root.seq,
    expectedSignals: root.signals,
    paths: [...plan.paths, ...requests],
    entries: plan.entries,
    ...(!newIdempotencyKeys && { newKeys: [] }),
    ...(user !== undefined && { user: acceptFields(user, 'user') }),
    states: stateRewinds(journal, plan),
    ...(accepted !== null && { resumption }),
  });
  if (outcome === 'outdated') throw new NotSuspendedError(execution.id);
}

/** Where the steps of an execution wait, or were resumed. */
function waitingPaths({ resumptions, suspensions, timers }: Execution): readonly string[] {
  return [...suspensions, ...resumptions, ...timers].map(({ path }) => path);
}

/**
 * Finds the entries that a rewind to a step deletes.
 *
 * @param waiting paths of the root's tree at which steps wait: the journal does not have steps that
 * have not ended.
 * @returns undefined when the workflow has no such step, or the execution has not reached it.
 */
export function planRewind(
  workflow: WorkflowDefinition,
  { path: executionPath }: Pick<Execution, 'path'>,
  journal: readonly JournalEntry[],
  stepId: string,
  waiting: readonly string[] = [],
): RewindPlan | undefined {
  const place = findStep(workflow.index, stepId);
  const own = findStepPath(workflow.index, stepId);
  if (place === undefined || own === undefined) return undefined;
  const path = childPath(executionPath, own);
  if (!journal.some((entry) => isAtOrBelow(entry.path, path))) return undefined;

  const after = workflow.steps.slice(place.stepIndex + 1).map(({ id }) => childPath(executionPath, id));
  const around = toSegments(path).filter(
    (segment) => isInside(path, segment.path) && isInside(segment.path, executionPath),
  );
  const later = laterIterations(place, around, [...journal.map((entry) => entry.path), ...waiting]);
  return {
    path,
    paths: [path, ...after, ...later.paths, ...handlersAfter(place, around)],
    entries: [...around.map(({ step }) => step), ...later.decisions],
  };
}

/** Whether a rewind deletes the journal entry at this path. */
export function isDeleted(path: string, { entries, paths }: Deletions): boolean {
  return entries.includes(path) || paths.some((deleted) => isAtOrBelow(path, deleted));
}

/** The changes of a rewind to workflow states. Fields that no step has set stay the same. */
export function stateRewinds(journal: readonly JournalEntry[], plan: Deletions): readonly StateRewind[] {
  const deleted = journaledStates(journal.filter(({ path }) => isDeleted(path, plan)));
  const remaining = journaledStates(journal.filter(({ path }) => !isDeleted(path, plan)));
  return [...deleted].map(([id, fields]) => ({ id, unset: Object.keys(fields), set: remaining.get(id) ?? {} }));
}

/** The `catch` and `finally` steps that run after a step inside `andTry`. */
function handlersAfter({ around: outer, step }: StepPosition, around: readonly Segment[]): readonly string[] {
  return outer.flatMap(({ steps, type }, depth) => {
    const { path } = around[depth] ?? {};
    if (path === undefined || type !== 'andTry') return [];
    const inside = outer[depth + 1] ?? step;
    return steps.slice(steps.indexOf(inside) + 1).map(({ id }) => childPath(path, id));
  });
}

/**
 * Later iterations of the loops around the step, and the decisions that led to them. Items of
 * `andForEach` are independent of each other.
 */
function laterIterations(
  { around: outer }: StepPosition,
  around: readonly Segment[],
  reached: readonly string[],
): { readonly paths: readonly string[]; readonly decisions: readonly string[] } {
  const paths: string[] = [];
  const decisions: string[] = [];
  for (const [depth, step] of outer.entries()) {
    const { item, step: loop } = around[depth] ?? {};
    if (loop === undefined || !hasRounds(step)) continue;
    for (const one of reached) {
      const later = roundsAround(one).find((round) => round.loop === loop);
      if (later !== undefined && later.round > Number(item)) paths.push(itemPath(loop, later.round));
      const decided = decidedRound(one);
      if (decided?.loop === loop && decided.round >= Number(item)) decisions.push(one);
    }
  }
  return { paths: [...new Set(paths)], decisions };
}
