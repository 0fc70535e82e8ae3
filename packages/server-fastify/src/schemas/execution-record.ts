import { type Static, Type } from '@sinclair/typebox';
import { executionFields } from './execution-state.ts';

/** The start or the end of a workflow or step. */
export const ExecutionRecordEvent = Type.Object(
  {
    id: Type.String(),
    type: Type.String({ description: '`workflow-start`, `step-complete` and so on, as streams have them.' }),
    name: Type.String({ description: 'Of the step, or of the workflow.' }),
    from: Type.String({ description: 'Id of the step, or of the workflow.' }),
    startTime: Type.String({ format: 'date-time' }),
    endTime: Type.String({ format: 'date-time', description: 'Of a start: the same moment.' }),
    status: Type.Unsafe<'running' | 'success' | 'skipped' | 'error' | 'cancelled'>({
      type: 'string',
      enum: ['running', 'success', 'skipped', 'error', 'cancelled'],
    }),
    input: Type.Optional(Type.Unknown({ description: 'Of a start, JSON of any kind.' })),
    output: Type.Optional(Type.Unknown({ description: 'Of a success, JSON of any kind.' })),
  },
  { $id: 'ExecutionRecordEvent' },
);
export type ExecutionRecordEvent = Static<typeof ExecutionRecordEvent>;

/** An execution, as lists show it. */
export const ExecutionRecord = Type.Object(
  { id: Type.String(), ...executionFields, events: Type.Array(ExecutionRecordEvent) },
  { $id: 'ExecutionRecord' },
);
export type ExecutionRecord = Static<typeof ExecutionRecord>;
