import type { Execution, JsonValue, Suspension } from '@halyard/contracts';

/**
 * The suspension that somebody means: the earliest, or the one of a step. A step is named by its instance id (`approve:3`), or, where only one of its
 * instances waits or it is the step around one, by its own id. Of several approvals that one step waits for, each is named by its `approvalId`: a yes is
 * never taken for another one.
 */
export function chooseSuspension(
  { path, suspensions }: Pick<Execution, 'path' | 'suspensions'>,
  stepId: string | undefined,
): Suspension | undefined {
  if (stepId === undefined) return suspensions[0];
  return (
    suspensions.find((suspension) => approvalIdOf(suspension) === stepId) ??
    suspensions.find((suspension) => suspension.stepId === stepId) ??
    suspensions.find((suspension) => stepsOf(path, suspension.path).includes(stepId))
  );
}

function approvalIdOf({ data, kind }: Suspension): JsonValue | undefined {
  if (kind !== 'approval' || typeof data !== 'object' || data === null || !('approvalId' in data)) return undefined;
  return data.approvalId;
}

/** Ids of the steps that a path runs through, below an execution. */
function stepsOf(executionPath: string, path: string): readonly string[] {
  const own = executionPath === '' ? path : path.slice(executionPath.length + 1);
  return (
    own
      .split('#', 1)[0]
      ?.split('/')
      .map((segment) => segment.split(':', 1)[0] ?? '') ?? []
  );
}
