import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject } from './any-object.ts';
import { StepType } from './step-type.ts';
import { workflowFields } from './workflow-summary.ts';

const jsonSchema = (of: string) => Type.Optional(anyObject({ description: `JSON Schema of ${of}.` }));
const nullableSchema = (of: string) => anyNullableObject({ description: `JSON Schema of ${of}, or null.` });

/** A step of a workflow. One with steps inside lists them, a sub-workflow its own. */
export const WorkflowStep = Type.Recursive(
  (Step) =>
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      type: StepType,
      purpose: Type.String(),
      inputSchema: jsonSchema('what the step accepts'),
      outputSchema: jsonSchema('what the step gives'),
      suspendSchema: jsonSchema('what the step tells whoever resumes it'),
      resumeSchema: jsonSchema('what it is resumed with'),
      steps: Type.Optional(Type.Array(Step)),
    }),
  { $id: 'WorkflowStep' },
);
export type WorkflowStep = Static<typeof WorkflowStep>;

/** A workflow with its steps and schemas. */
export const WorkflowDetail = Type.Object(
  {
    ...workflowFields,
    steps: Type.Array(WorkflowStep),
    inputSchema: nullableSchema('what it is started with'),
    resultSchema: nullableSchema('what it comes to'),
    suspendSchema: nullableSchema('what its steps tell whoever resumes them'),
    resumeSchema: nullableSchema('what its steps are resumed with'),
  },
  { $id: 'WorkflowDetail' },
);
export type WorkflowDetail = Static<typeof WorkflowDetail>;
