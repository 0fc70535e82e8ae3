import { type Static, Type } from '@sinclair/typebox';

export const AgentDefinition = Type.Object(
  {
    id: Type.String(),
    instructions: Type.Union([Type.String(), Type.Null()], {
      description: 'As in the code; null if a function writes them for each run, and for callers that are no operators',
    }),
    settings: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Such as `temperature`' }),
        value: Type.Unknown({ description: 'null: the setting is not sent, so that the provider decides' }),
        origin: Type.Union([Type.Literal('agent'), Type.Literal('default')], {
          description: 'The agent sets it, or it is the default of the server',
        }),
      }),
      { description: 'What model calls get if a request sets nothing. Headers and options of a provider are left out' },
    ),
  },
  { $id: 'AgentDefinition' },
);
export type AgentDefinition = Static<typeof AgentDefinition>;
