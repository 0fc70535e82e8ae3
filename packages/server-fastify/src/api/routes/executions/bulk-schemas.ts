import { type Static, Type } from '@sinclair/typebox';
import { anyObject, ExternalId, Id } from '../common-schemas.ts';
import { ExecutionError, ExecutionStatus } from './schemas.ts';

/** Which root executions. All conditions must match, as in the list of executions. */
const BulkFilter = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Id, { minItems: 1, maxItems: 1_000, description: 'Only the executions with these ids.' }),
    ),
    workflowId: Type.Optional(Id),
    status: Type.Optional(ExecutionStatus),
    quarantined: Type.Optional(Type.Literal(true, { description: 'Only executions that are in quarantine.' })),
    from: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Created at or after: an ISO 8601 timestamp, UTC without an offset.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Created at or before: an ISO 8601 timestamp, UTC without an offset.',
      }),
    ),
    userId: Type.Optional(ExternalId),
    metadata: Type.Optional(anyObject({ description: 'The metadata must contain each of these fields.' })),
  },
  { $id: 'BulkFilter', additionalProperties: false },
);

const selection = {
  filter: Type.Optional(BulkFilter),
  all: Type.Optional(
    Type.Literal(true, { description: 'Selects every execution, instead of a `filter` with at least one condition.' }),
  ),
};

/** Which executions a bulk operation would reach. */
export const BulkSelection = Type.Object(selection, { $id: 'BulkSelection', additionalProperties: false });
export type BulkSelection = Static<typeof BulkSelection>;

const BulkOperationName = Type.Unsafe<'cancel' | 'resume' | 'retry' | 'replay'>({
  type: 'string',
  enum: ['cancel', 'resume', 'retry', 'replay'],
});

/** A request to change all executions that match. */
export const BulkRequest = Type.Object(
  {
    operation: BulkOperationName,
    ...selection,
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: 'For `cancel`.' })),
    stepId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description:
          'For `replay`, where it is required: the step at which the new executions start. For `resume`: only executions that are suspended at this step.',
      }),
    ),
    resumeData: Type.Optional(
      Type.Unknown({ description: 'For `resume` and `replay`: the resume data of each execution.' }),
    ),
    inputData: Type.Optional(Type.Unknown({ description: 'For `replay`: replaces the input of the top-level step.' })),
    requestId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'A repeated request with the same id starts nothing, and returns the first bulk operation.',
      }),
    ),
  },
  { $id: 'BulkRequest', additionalProperties: false },
);
export type BulkRequest = Static<typeof BulkRequest>;

const matched = Type.Integer({ description: 'How many executions match: exact below 10 000.' });

export const BulkPreview = Type.Object(
  {
    matched,
    executionIds: Type.Array(Type.String(), { description: 'The first of them, newest first: at most 20.' }),
  },
  { $id: 'BulkPreview' },
);
export type BulkPreview = Static<typeof BulkPreview>;

/** Why an operation was not carried out for an execution. */
const BulkRefusal = Type.Object(
  {
    executionId: Type.String(),
    workflowId: Type.String(),
    code: Type.String({ description: 'Stable, as in `x-error-code`.' }),
    message: Type.String(),
  },
  { $id: 'BulkRefusal' },
);

/** The progress of a bulk operation while it runs, and its report at the end. */
export const BulkOperation = Type.Object(
  {
    bulkId: Type.String(),
    operation: BulkOperationName,
    filter: BulkFilter,
    status: ExecutionStatus,
    matched,
    succeeded: Type.Integer(),
    skipped: Type.Integer({ description: 'Executions whose state does not allow the operation.' }),
    failed: Type.Integer(),
    skips: Type.Array(BulkRefusal, { description: 'The first 200 that were skipped.' }),
    failures: Type.Array(BulkRefusal, { description: 'The first 200 that failed.' }),
    startAt: Type.String({ format: 'date-time' }),
    endAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description: 'Null until it ends.' }),
    error: Type.Optional(ExecutionError),
  },
  { $id: 'BulkOperation' },
);
export type BulkOperation = Static<typeof BulkOperation>;

export const BulkParams = Type.Object({ bulkId: Id });
export type BulkParams = Static<typeof BulkParams>;
