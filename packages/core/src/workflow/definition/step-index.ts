import { ConfigurationError } from '@halyard/contracts';
import { hasNoId } from './check-step-options.ts';
import { childPath, instanceParts, itemPath, toSegments } from './place.ts';
import type { AnyStep, StepType } from './step.ts';

/** A step and its place in the tree. */
export interface StepPosition {
  readonly step: AnyStep;
  /** The steps that contain it, the outermost first. */
  readonly around: readonly AnyStep[];
  /** Position of its top-level step: itself, or the step around it. */
  readonly stepIndex: number;
}

/** All steps of a workflow by id, without those of sub-workflows. */
export type StepIndex = ReadonlyMap<string, StepPosition>;

const loops: ReadonlySet<StepType> = new Set(['andForEach', 'andDoWhile', 'andDoUntil']);

export function isLoop({ type }: AnyStep): boolean {
  return loops.has(type);
}

/**
 * Whether the step is a loop whose rounds run one after the other, each with the output of the one
 * before.
 */
export function hasRounds({ type }: AnyStep): boolean {
  return type === 'andDoWhile' || type === 'andDoUntil';
}

/** Whether the steps inside this one are called by code, and are not part of the definition. */
export function hasCode({ type }: AnyStep): boolean {
  return type === 'andRun';
}

/** @throws ConfigurationError when a step has no id, or two steps share one. */
export function indexSteps(workflowId: string, steps: readonly AnyStep[]): StepIndex {
  const index = new Map<string, StepPosition>();
  const add = (step: AnyStep, around: readonly AnyStep[], stepIndex: number, position = stepIndex): void => {
    if (hasNoId(step)) {
      const outer = around.at(-1);
      const place = outer === undefined ? '' : ` in step "${outer.id}" (${outer.type})`;
      throw new ConfigurationError(
        `Step ${position + 1}${place} of workflow "${workflowId}" (${step.type}) has no id: give it one that is unique in the workflow`,
      );
    }
    if (index.has(step.id))
      throw new ConfigurationError(`Workflow "${workflowId}" has two steps with the id "${step.id}"`);
    index.set(step.id, { step, around, stepIndex });
    for (const [inner, one] of step.steps.entries()) add(one, [...around, step], stepIndex, inner);
  };
  for (const [stepIndex, step] of steps.entries()) add(step, [], stepIndex);
  return index;
}

/** The step of an instance; undefined also for a step that code calls. */
export function findStep(index: StepIndex, instance: string): StepPosition | undefined {
  return index.get(instanceParts(instance).name);
}

/**
 * The path of a step instance, such as `lines:3/approve` for `approve:3`, and `checkout/charge` for
 * a step that code calls. Loop items that the instance does not name are taken from `near`, the
 * path of another step in the same workflow, as far as both steps are inside the same loops.
 *
 * @returns undefined when there is no such step, or when a loop item is missing.
 */
export function findStepPath(index: StepIndex, instance: string, near = ''): string | undefined {
  const { name, items } = instanceParts(instance);
  const [outer, called] = toSegments(name);
  const place = index.get(outer?.id ?? '');
  if (place === undefined || (called !== undefined && !hasCode(place.step))) return undefined;
  const nearby = toSegments(near);
  const rest = [...items];
  let path = '';
  for (const [depth, step] of place.around.entries()) {
    path = childPath(path, step.id);
    if (!isLoop(step)) continue;
    const other = nearby[depth];
    const item = rest.shift() ?? (other?.id === step.id ? other.item : undefined) ?? '';
    if (!/^\d+$/u.test(item)) return undefined;
    path = itemPath(path, item);
  }
  return rest.length > 0 ? undefined : childPath(path, name);
}
