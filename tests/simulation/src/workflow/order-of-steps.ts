import type { TreeStep } from './random-tree.ts';

/**
 * The paths that must be recorded before the body at this path may start: earlier steps, and
 * decisions of the steps around it.
 */
export function recordedBefore(tree: readonly TreeStep[], path: string): readonly string[] {
  const before: string[] = [];
  let steps = tree;
  let isChain = true;
  let around = '';
  const segments = path.split('/');
  for (const [depth, segment] of segments.entries()) {
    const [id, item] = segment.split(':');
    const step = steps.find((candidate) => candidate.id === id);
    if (step === undefined) return before;
    if (isChain) for (const earlier of steps.slice(0, steps.indexOf(step))) before.push(around + earlier.id);
    before.push(...decisions(step, around + step.id, Number(item)));
    if (step.kind === 'try' && segments[depth + 1]?.split(':')[0] !== step.steps[0].id)
      before.push(`${around}${step.id}/${step.steps[0].id}`);
    isChain = step.kind === 'workflow' || (step.kind === 'run' && !step.isParallel);
    steps = 'steps' in step ? step.steps : [];
    around += `${segment}/`;
  }
  return before;
}

function decisions(step: TreeStep, path: string, item: number): readonly string[] {
  switch (step.kind) {
    case 'when':
      return [`${path}#condition`];
    case 'branch':
      return step.conditions.map((_condition, index) => `${path}#condition-${index}`);
    case 'forEach':
      return [`${path}#items`];
    case 'workflow':
      return [`${path}#execution`];
    case 'doWhile':
      return Array.from({ length: item }, (_none, round) => [
        `${path}:${round}/${step.steps[0].id}`,
        `${path}#condition-${round}`,
      ]).flat();
    case 'then':
    case 'tap':
    case 'sleep':
    case 'all':
    case 'race':
    case 'try':
    case 'run':
      return [];
    default:
      return step satisfies never;
  }
}
