import type { Execution, JsonValue, Suspension } from '@halyard/contracts';
import { ownPlace, toSegments } from '../../definition/place.ts';

/**
 * Finds the suspension that `stepId` names; without one, the earliest, and a wait for an event only
 * if there is no other. A step is named by its instance id (`approve:3`), or by its own id if only
 * one of its instances is suspended or if it contains the suspended step; a tool call by its
 * `approvalId`.
 */
export function chooseSuspension(
  { path, suspensions }: Pick<Execution, 'path' | 'suspensions'>,
  stepId: string | undefined,
): Suspension | undefined {
  if (stepId === undefined) return suspensions.find(({ kind }) => kind !== 'event') ?? suspensions[0];
  return (
    suspensions.find((suspension) => readApprovalId(suspension) === stepId) ??
    suspensions.find((suspension) => suspension.stepId === stepId) ??
    suspensions.find((suspension) => toSegments(ownPlace(suspension.path, path)).some(({ id }) => id === stepId))
  );
}

/** The id with which a chat responds to the call. Each call has another one. */
export function readApprovalId({ data, kind }: Suspension): JsonValue | undefined {
  if (kind !== 'approval' || typeof data !== 'object' || data === null || !('approvalId' in data)) return undefined;
  return data.approvalId;
}
