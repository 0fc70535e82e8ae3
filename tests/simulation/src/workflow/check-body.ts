import type { Observed } from './observed.ts';
import { recordedBefore } from './order-of-steps.ts';
import type { TreeStep } from './random-tree.ts';
import { must } from './violation.ts';

export interface StartedBody {
  readonly process: string;
  readonly path: string;
  readonly resumeData: unknown;
}

/** Checks the start of a body. @throws Violation */
export function checkBody(
  { path, process, resumeData }: StartedBody,
  tree: readonly TreeStep[],
  { answersFor, claim, recorded }: Pick<Observed, 'answersFor' | 'claim' | 'recorded'>,
): void {
  // A process that lost its lease without noticing may still start a body. The output of that body
  // is not written.
  if (claim?.runner === process) must(!recorded.has(path), () => `${path} starts again, although it is recorded`);
  for (const before of recordedBefore(tree, path))
    must(recorded.has(before), () => `${path} starts before ${before} is recorded`);
  if (resumeData === undefined) return;
  const given = JSON.stringify(resumeData);
  const isOwnAnswer = answersFor(path).some((answer) => JSON.stringify(answer) === given);
  must(isOwnAnswer, () => `${path} is resumed with ${given}, an answer to another step`);
}
