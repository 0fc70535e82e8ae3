import { type Static, Type } from '@sinclair/typebox';
import { nullableObject } from './nullable-object.ts';

/** Answers a suspension. */
export const ResumeRequest = nullableObject(
  {
    resumeData: Type.Optional(Type.Unknown({ description: "Checked against the step's schema, else the workflow's." })),
    options: Type.Optional(
      nullableObject({
        stepId: Type.Optional(
          Type.String({
            minLength: 1,
            // An `approvalId` has the execution and the path of the call in it.
            maxLength: 2_048,
            description:
              'A step that is suspended, an `approvalId`, or an earlier step, which goes back to it. Default: the earliest suspension.',
          }),
        ),
      }),
    ),
  },
  { $id: 'ResumeRequest' },
);
export type ResumeRequest = Static<typeof ResumeRequest>;
