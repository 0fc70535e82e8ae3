import { ConflictError, type Execution, InvalidInputError, type Suspension } from '@halyard/contracts';
import { instanceParts, isCallOfAgent, roundsAround } from '../../definition/place.ts';
import type { ResumeOptions } from '../../engine/runtime-options.ts';
import { readApprovalId, chooseSuspension } from './choose-suspension.ts';

/**
 * Finds the suspension that a request resumes.
 *
 * @param names of the fields in errors.
 * @returns undefined when it names an earlier step to rewind to.
 * @throws ConflictError (`SUSPENSION_NOT_PENDING`) when `suspensionId` names none of the pending
 * ones. InvalidInputError (`SUSPENSION_ID_REQUIRED`) without it, for an approval, since the consent
 * is to the call that was shown, and for a step that has asked before, since the request may be a
 * repeated response to its earlier question.
 */
export function findSuspension(
  execution: Pick<Execution, 'path' | 'suspensions'>,
  { stepId, suspensionId }: Pick<ResumeOptions, 'stepId' | 'suspensionId'>,
  names: { readonly stepId: string; readonly suspensionId: string },
): Suspension | undefined {
  const { suspensions } = execution;
  if (suspensionId === undefined) {
    const suspension = chooseSuspension(execution, stepId);
    if (suspension === undefined || !needsId(suspension, stepId)) return suspension;
    const why =
      suspension.kind === 'approval' ? 'to answer an approval' : `because step ${suspension.stepId} has asked before`;
    const message = `${names.suspensionId} is required ${why}. ${toList(suspensions)}`;
    throw new InvalidInputError(message, { code: 'SUSPENSION_ID_REQUIRED' });
  }
  const suspension = suspensions.find(({ id }) => id === suspensionId);
  if (suspension === undefined)
    throw new ConflictError(
      'SUSPENSION_NOT_PENDING',
      `Suspension ${suspensionId} is not pending. ${toList(suspensions)}`,
    );
  if (stepId !== undefined && chooseSuspension({ ...execution, suspensions: [suspension] }, stepId) === undefined)
    throw new InvalidInputError(`${names.stepId} names another step than ${names.suspensionId}: ${stepId}`);
  return suspension;
}

/** Whether `stepId` does not tell which question of a step is meant. */
function needsId(suspension: Suspension, stepId: string | undefined): boolean {
  const { isRepeated = false, kind, path, stepId: instance } = suspension;
  if (kind === 'approval') return stepId === undefined || readApprovalId(suspension) !== stepId;
  if (kind !== 'step') return false;
  // Each call of an agent is another question, and so is each round of a loop or item of a list.
  const isLaterRound = roundsAround(path).some(({ round }) => round > 0);
  const namesRound = stepId === instance && instanceParts(instance).items.length > 0;
  return isRepeated || isCallOfAgent(path) || (isLaterRound && !namesRound);
}

/** So many are listed. */
const listLimit = 20;

function toList(suspensions: readonly Suspension[]): string {
  const shown = suspensions.slice(0, listLimit).map(({ id, reason, stepId }) => `${id} (step ${stepId}: ${reason})`);
  const others = suspensions.length - shown.length;
  return `Pending: ${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}
