import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';

/** Starts a new execution from a step of another one. */
export const ReplayRequest = Type.Object(
  {
    stepId: Id,
    resumeData: Type.Optional(Type.Unknown({ description: 'What that step is resumed with.' })),
    inputData: Type.Optional(
      Type.Unknown({ description: 'What its top-level step is given, instead of what the one before gave.' }),
    ),
  },
  { $id: 'ReplayRequest' },
);
export type ReplayRequest = Static<typeof ReplayRequest>;
