import { HalyardError, type Suspension } from '@halyard/contracts';
import { hasCode, findStep } from '../../definition/step-index.ts';
import type { AnyStep } from '../../definition/step.ts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';

/**
 * A user does not respond in place of an event that only the app and operators publish: a customer
 * must not be able to confirm the payment of an order.
 *
 * @throws HalyardError (`OPERATION_NOT_ALLOWED`)
 */
export function checkEventResumption({ event, kind, stepId }: Suspension, isOfUser: boolean): void {
  if (isOfUser && kind === 'event' && event?.from !== 'owner') throw eventOfApp(stepId);
}

/**
 * {@link checkEventResumption} for the data with which a rewind or a replay resumes a step; undefined:
 * it waits again.
 */
export function checkEventData(
  { index }: Pick<WorkflowDefinition, 'index'>,
  { data, stepId }: { readonly data: unknown; readonly stepId: string },
  isOfUser: boolean,
): void {
  const event = findStep(index, stepId)?.step.event;
  if (isOfUser && data !== undefined && event !== undefined && event.from !== 'owner') throw eventOfApp(stepId);
}

/**
 * {@link checkEventResumption} for data that replaces the output of a step, which may contain the
 * payload of an event.
 */
export function checkReplacedOutput(step: AnyStep, isOfUser: boolean): void {
  if (isOfUser && receivesEventOfApp(step)) throw eventOfApp(step.id);
}

/** Code may wait for one, which its definition does not show. */
function receivesEventOfApp(step: AnyStep): boolean {
  const { event, steps, workflow } = step;
  if (hasCode(step) || (event !== undefined && event.from !== 'owner')) return true;
  return [...steps, ...(workflow?.steps ?? [])].some(receivesEventOfApp);
}

function eventOfApp(stepId: string): HalyardError {
  return new HalyardError(
    'forbidden',
    'OPERATION_NOT_ALLOWED',
    `Step ${stepId} waits for an event of the app, or runs code that may, which its users do not answer`,
  );
}
