import { checkOptionNames, ConfigurationError, type OptionNames } from '@halyard/contracts';

/**
 * The operations that users may request for their own executions. Each lets steps of the author run
 * again; default: only operators may.
 */
export interface UserOperations {
  /** A new execution from a step of this one, with data that the user chooses. */
  readonly replay?: boolean;
  /** A failed execution continues from the steps that failed. */
  readonly retry?: boolean;
  /** The execution goes back to an earlier step. */
  readonly rewind?: boolean;
}

const operationNames: OptionNames<UserOperations> = { replay: true, retry: true, rewind: true };

/** @throws ConfigurationError for an unknown operation, and a value that is not a boolean. */
export function acceptUserOperations(workflowId: string, users: UserOperations = {}): UserOperations {
  checkOptionNames(`\`users\` of workflow "${workflowId}"`, users, operationNames);
  for (const [operation, isOpen] of Object.entries(users))
    if (isOpen !== undefined && typeof isOpen !== 'boolean')
      throw new ConfigurationError(`\`users.${operation}\` of workflow "${workflowId}" must be true or false`);
  return users;
}
