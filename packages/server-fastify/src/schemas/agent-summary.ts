import { type Static, Type } from '@sinclair/typebox';
import { anyObject } from './any-object.ts';
import { nullableObject } from './nullable-object.ts';

const fields = {
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  status: Type.Literal('idle'),
  model: Type.String({ description: 'Name of the model; `dynamic` where the agent chooses it for each run.' }),
  tools: Type.Array(Type.String()),
  memory: nullableObject(
    { config: anyObject({ description: 'The settings of the memory.' }) },
    { description: 'Null where the agent has no memory.' },
  ),
};

/** An agent, as lists and pages show it. */
export const AgentSummary = Type.Object(
  {
    ...fields,
    subAgents: Type.Array(Type.Object(fields)),
    isTelemetryEnabled: Type.Boolean(),
  },
  { $id: 'AgentSummary' },
);
export type AgentSummary = Static<typeof AgentSummary>;
