import { type Static, Type } from '@sinclair/typebox';
import { Id } from './id.ts';
import { nullableObject } from './nullable-object.ts';

/** Answers a suspension. */
export const ResumeRequest = nullableObject(
  {
    resumeData: Type.Optional(Type.Unknown({ description: "Checked against the step's schema, else the workflow's." })),
    options: Type.Optional(
      nullableObject({
        stepId: Type.Optional(
          Type.String({
            pattern: Id.pattern,
            description:
              'A step that is suspended, or an earlier one, which goes back to it. Default: the earliest suspension.',
          }),
        ),
      }),
    ),
  },
  { $id: 'ResumeRequest' },
);
export type ResumeRequest = Static<typeof ResumeRequest>;
