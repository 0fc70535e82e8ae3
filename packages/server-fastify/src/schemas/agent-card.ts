import { type Static, Type } from '@sinclair/typebox';

const AgentSkill = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
});

/** An agent card as A2A 1.0 has it (`AgentCard` of its `a2a.proto`, in the JSON of Protocol Buffers). */
export const AgentCard = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    supportedInterfaces: Type.Array(
      Type.Object({ url: Type.String(), protocolBinding: Type.String(), protocolVersion: Type.String() }),
      { description: 'Empty: the agent is asked by the API of this server, which is none of the bindings of A2A.' },
    ),
    version: Type.String(),
    documentationUrl: Type.String(),
    capabilities: Type.Object({
      streaming: Type.Boolean(),
      pushNotifications: Type.Boolean(),
      extendedAgentCard: Type.Boolean(),
      extensions: Type.Array(
        Type.Object({
          uri: Type.String(),
          description: Type.String(),
          required: Type.Boolean(),
          params: Type.Object({ url: Type.String(), openApiUrl: Type.String() }),
        }),
      ),
    }),
    defaultInputModes: Type.Array(Type.String()),
    defaultOutputModes: Type.Array(Type.String()),
    skills: Type.Array(AgentSkill),
  },
  { $id: 'AgentCard' },
);
export type AgentCard = Static<typeof AgentCard>;
