import type { components } from '../../api/schema.ts';
import type { GraphNode } from '../../ui/graph/layout.ts';

export type WorkflowStep = components['schemas']['WorkflowStep'];

interface StepState {
  readonly state: string;
  readonly note?: string | undefined;
}

/** The name of each kind of step, in a word or two. */
const stepKinds: Readonly<Record<WorkflowStep['type'], string>> = {
  andThen: 'step',
  andTap: 'side effect',
  andMap: 'builds an object',
  andWhen: 'only if',
  andBranch: 'each that applies',
  andAll: 'in parallel',
  andRace: 'first to succeed',
  andForEach: 'for each item',
  andDoWhile: 'repeats while',
  andDoUntil: 'repeats until',
  andSleep: 'sleeps',
  andSleepUntil: 'sleeps until',
  andWaitForEvent: 'waits for an event',
  andGuardrail: 'guardrail',
  andTry: 'try',
  andAgent: 'agent',
  andWorkflow: 'sub-workflow',
  andRun: 'code',
  andStart: 'starts a workflow',
  andJoin: 'joins executions',
};

const sideBySide = new Set<WorkflowStep['type']>(['andAll', 'andRace', 'andBranch']);

/**
 * The steps of a workflow as nodes. Ids are the paths of the steps, as sub-workflows may use the
 * same ids.
 *
 * @param toggled the steps that are not folded or open as at first: sub-workflows are folded, all
 * others open.
 */
export function toGraph(
  steps: readonly WorkflowStep[],
  toggled: ReadonlySet<string>,
  stateOf: (path: string) => StepState | undefined = () => undefined,
  prefix = '',
): readonly GraphNode[] {
  return steps.map((step): GraphNode => {
    const id = prefix + step.id;
    const inner = step.steps ?? [];
    const isFoldedAtFirst = step.type === 'andWorkflow';
    return {
      id,
      title: step.name,
      kind: kindOf(step),
      ...stateOf(id),
      ...(inner.length > 0 && {
        inner: {
          direction: sideBySide.has(step.type) ? 'row' : 'column',
          isOpen: isFoldedAtFirst === toggled.has(id),
          nodes: toGraph(inner, toggled, stateOf, `${id}/`),
        },
      }),
    };
  });
}

export function kindOf({ event, role, starts, type }: WorkflowStep): string {
  if (role !== undefined) return role === 'catch' ? 'if it fails' : 'at the end';
  if (event !== undefined) return `waits for ${event}`;
  if (starts !== undefined) return `starts ${starts}`;
  return stepKinds[type];
}

/** The step at a path of {@link toGraph}. */
export function findStep(steps: readonly WorkflowStep[], path: string): WorkflowStep | undefined {
  const [first, ...rest] = path.split('/');
  const step = steps.find(({ id }) => id === first);
  return step === undefined || rest.length === 0 ? step : findStep(step.steps ?? [], rest.join('/'));
}

/** The name of a step of the workflow itself; its id if the workflow does not contain it. */
export function nameOfStep(steps: readonly WorkflowStep[], stepId: string): string {
  const path = pathOfStep(steps, stepId);
  return (path === undefined ? undefined : findStep(steps, path)?.name) ?? stepId;
}

/** The path of a step of the workflow itself, by its id. */
export function pathOfStep(steps: readonly WorkflowStep[], stepId: string, prefix = ''): string | undefined {
  for (const step of steps) {
    const path = prefix + step.id;
    if (step.id === stepId) return path;
    if (step.type === 'andWorkflow') continue;
    const inner = pathOfStep(step.steps ?? [], stepId, `${path}/`);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
