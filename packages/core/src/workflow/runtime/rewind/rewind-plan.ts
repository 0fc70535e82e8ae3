import type { Execution, JournalEntry } from '@halyard/contracts';
import { isLoop, pathOfInstance, type StepPlace } from '../../definition/step-index.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';
import { isBelow } from '../waits/waits.ts';

/** What has to be forgotten so that a step runs again. */
export interface RewindPlan {
  /** Of the step, in the root's tree. */
  readonly path: string;
  /** Forgotten with all that is below them: the step, and what came after it. */
  readonly paths: readonly string[];
  /** Forgotten alone: the steps around it. */
  readonly entries: readonly string[];
}

/**
 * How to go back to a step that has run.
 *
 * @returns undefined when the workflow has no such step, or it has not come to it.
 */
export function planRewind(
  workflow: WorkflowDefinition,
  { path: executionPath }: Pick<Execution, 'path'>,
  journal: readonly JournalEntry[],
  stepId: string,
): RewindPlan | undefined {
  const place = workflow.index.get(stepId.split(':', 1)[0] ?? '');
  const own = pathOfInstance(workflow.index, stepId);
  if (place === undefined || own === undefined) return undefined;
  const prefix = executionPath === '' ? '' : `${executionPath}/`;
  const path = `${prefix}${own}`;
  if (!journal.some((entry) => entry.path === path || isBelow(entry.path, path))) return undefined;

  const after = workflow.steps.slice(place.stepIndex + 1).map(({ id }) => `${prefix}${id}`);
  const later = laterRounds(place, path, journal);
  return { path, paths: [path, ...after, ...later.paths], entries: [...around(path, prefix), ...later.decisions] };
}

/** The steps that this one is in, of the same workflow. */
function around(path: string, prefix: string): readonly string[] {
  const segments = path.slice(prefix.length).split('/').slice(0, -1);
  return segments.map(
    (segment, depth) => `${prefix}${[...segments.slice(0, depth), segment.split(':', 1)[0]].join('/')}`,
  );
}

/** Rounds of loops around the step that came after its own, and the decisions that led to them. Items of `andForEach` do not depend on each other. */
function laterRounds(
  place: StepPlace,
  path: string,
  journal: readonly JournalEntry[],
): { readonly paths: readonly string[]; readonly decisions: readonly string[] } {
  const paths: string[] = [];
  const decisions: string[] = [];
  for (const loop of place.around.filter((step) => isLoop(step) && step.type !== 'andForEach')) {
    const match = new RegExp(`^(.*?${escape(loop.id)}):(\\d+)/`, 'u').exec(path);
    if (match?.[1] === undefined) continue;
    const [, loopPath, round] = match;
    for (const entry of journal) {
      const later = new RegExp(`^${escape(loopPath)}(?::(\\d+)/|#condition-(\\d+)$)`, 'u').exec(entry.path);
      if (later?.[1] !== undefined && Number(later[1]) > Number(round)) paths.push(`${loopPath}:${later[1]}`);
      if (later?.[2] !== undefined && Number(later[2]) >= Number(round)) decisions.push(entry.path);
    }
  }
  return { paths: [...new Set(paths)], decisions };
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
}
