import { type Static, Type } from '@sinclair/typebox';
import { ExecutionStatus } from './execution-status.ts';
import { Id } from './id.ts';

/** Filters of the list of executions; all hold together. */
export const ExecutionQuery = Type.Object({
  workflowId: Type.Optional(Id),
  parentExecutionId: Type.Optional(
    Type.String({
      pattern: Id.pattern,
      description: 'Whose sub-workflows are wanted. Default: executions that have no parent.',
    }),
  ),
  status: Type.Optional(ExecutionStatus),
  from: Type.Optional(Type.String({ description: 'Created at or after: an ISO 8601 timestamp.' })),
  to: Type.Optional(Type.String({ description: 'Created at or before: an ISO 8601 timestamp.' })),
  userId: Type.Optional(Id),
  metadata: Type.Optional(
    Type.String({
      description:
        'A JSON object, URL-encoded, each field of which the metadata must have. For one field: `metadata.<key>=<value>`, where the value is JSON if it parses, else text.',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  offset: Type.Integer({ minimum: 0, maximum: 100_000, default: 0 }),
});
export type ExecutionQuery = Static<typeof ExecutionQuery>;
