import { type Execution, InvalidInputError, type JsonValue, type Suspension } from '@halyard/contracts';
import type { WorkflowDefinition } from '../../definition/workflow-definition.ts';

/**
 * Whether a suspension shows no question, but a reason that the user of the execution may have
 * chosen: only users and the app suspend executions that belong to a user from outside.
 *
 * @param root the workflow of the root execution.
 */
export function isWithoutQuestion(
  { kind }: Pick<Suspension, 'kind'>,
  { userId }: Pick<Execution, 'userId'>,
  root: Pick<WorkflowDefinition, 'access'> | undefined,
): boolean {
  return kind === 'request' && userId !== undefined && (root?.access ?? 'users') === 'users';
}

/**
 * Checks the resume data of such a suspension: the next step would take it for the response to a
 * question that was never shown.
 *
 * @param at the name of the data in the error.
 * @throws InvalidInputError
 */
export function refuseUnasked(data: JsonValue, at: string): void {
  if (data !== null)
    throw new InvalidInputError(
      `${at} answers no question: the execution was suspended from outside. Resume it without data, and answer what its step asks then`,
    );
}
