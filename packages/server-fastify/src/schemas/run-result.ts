import { type Static, Type } from '@sinclair/typebox';
import { ExecutionStatus } from './execution-status.ts';
import { SuspensionReport } from './suspension-report.ts';

/** What a run came to, or where it stands. */
export const RunResult = Type.Object(
  {
    executionId: Type.String(),
    status: ExecutionStatus,
    startAt: Type.String({ format: 'date-time' }),
    endAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null unless it has ended.',
    }),
    result: Type.Unknown({ description: 'Any JSON; null unless it is completed.' }),
    suspension: Type.Optional(SuspensionReport),
    suspensions: Type.Optional(Type.Array(SuspensionReport, { description: 'All of them, the earliest first.' })),
  },
  { $id: 'RunResult' },
);
export type RunResult = Static<typeof RunResult>;
