import type { Observed } from './observer.ts';
import { recordedBefore } from './order-of-steps.ts';
import type { TreeStep } from './random-tree.ts';
import { must } from './violation.ts';

export interface BegunBody {
  readonly process: string;
  readonly path: string;
  readonly resumeData: unknown;
}

/** Checks what must hold when a body starts. @throws Violation */
export function checkBody(
  { path, process, resumeData }: BegunBody,
  tree: readonly TreeStep[],
  { answersFor, holding, recorded }: Pick<Observed, 'answersFor' | 'holding' | 'recorded'>,
): void {
  // A process that does not know yet that it lost the execution may still start a body; its output is not written.
  if (holding?.runner === process) must(!recorded.has(path), () => `${path} begins again, although it is recorded`);
  for (const before of recordedBefore(tree, path))
    must(recorded.has(before), () => `${path} begins before ${before} is recorded`);
  if (resumeData === undefined) return;
  const given = JSON.stringify(resumeData);
  const isItsOwn = answersFor(path).some((answer) => JSON.stringify(answer) === given);
  must(isItsOwn, () => `${path} is resumed with ${given}, which is not for it`);
}
