import { type Static, Type } from '@sinclair/typebox';

export const suspensionFields = {
  suspendedAt: Type.String({ format: 'date-time' }),
  reason: Type.String(),
  stepId: Type.String({ description: 'What `options.stepId` of a resumption names; `approve:3` in a loop.' }),
  suspendData: Type.Optional(Type.Unknown({ description: 'What the step tells whoever answers, JSON of any kind.' })),
};

/** What an execution waits for, as results and events tell it. */
export const SuspensionReport = Type.Object(
  {
    ...suspensionFields,
    suspendedStepIndex: Type.Integer({ description: 'Position of the top-level step that it is in.' }),
  },
  { $id: 'SuspensionReport' },
);
export type SuspensionReport = Static<typeof SuspensionReport>;
