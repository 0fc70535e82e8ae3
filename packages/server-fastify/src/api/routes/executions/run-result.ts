import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { SuspensionReport } from './schemas.ts';

/** The result of an execution, or its state so far. */
export const RunResult = defineRunResult(Type.Unknown({ description: 'Any JSON.' }), 'RunResult');
export type RunResult = Static<typeof RunResult>;

/**
 * A {@link RunResult} with the schema of a workflow's result. `status` tells the variants apart,
 * which have the same fields, so that clients can read them before they know it. Without a result,
 * the value is null: openapi-fetch would leave out a field that can only be null.
 */
export function defineRunResult<Result extends TSchema>(result: Result, name: string) {
  const fields = {
    executionId: Type.String(),
    startAt: Type.String({ format: 'date-time' }),
    endAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null until it ends.',
    }),
    suspension: Type.Optional(SuspensionReport),
    suspensions: Type.Optional(
      Type.Array(SuspensionReport, { description: 'Only if suspended: all pending suspensions, the earliest first.' }),
    ),
  };
  return Type.Union(
    [
      Type.Object({ status: Type.Literal('completed'), ...fields, result }),
      Type.Object({
        status: Type.Unsafe<'running' | 'suspended' | 'cancelled'>({
          type: 'string',
          enum: ['running', 'suspended', 'cancelled'],
        }),
        ...fields,
        result: Type.Union([result, Type.Null()], { description: 'Null: the execution is not completed.' }),
      }),
    ],
    { $id: name },
  );
}
