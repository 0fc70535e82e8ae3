import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject } from '../common-schemas.ts';

const AgentSkill = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
});

/**
 * An A2A 1.0 agent card (`AgentCard` of its `a2a.proto`, in the JSON format of Protocol Buffers).
 */
export const AgentCard = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    supportedInterfaces: Type.Array(
      Type.Object({ url: Type.String(), protocolBinding: Type.String(), protocolVersion: Type.String() }),
      { description: 'Empty: the agent is called by the API of this server, which is not a binding of A2A.' },
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

export const McpServerParams = Type.Object({ serverId: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }) });

/** A registered MCP server: served here, or an external one. */
export const McpServerSummary = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'Null for an external server that has not been reached yet.',
    }),
    description: Type.String(),
    transport: Type.Union([Type.Literal('streamable-http'), Type.Literal('stdio')]),
    url: Type.Union([Type.String(), Type.Null()], {
      description: 'Its address, without credentials; null for a program that this server starts.',
    }),
    isServedHere: Type.Boolean(),
  },
  { $id: 'McpServerSummary' },
);
export type McpServerSummary = Static<typeof McpServerSummary>;

export const McpToolSummary = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    inputSchema: anyObject({ description: 'JSON Schema of the arguments.' }),
    outputSchema: anyNullableObject({
      description: 'JSON Schema of the structured result, or null.',
    }),
  },
  { $id: 'McpToolSummary' },
);
export type McpToolSummary = Static<typeof McpToolSummary>;
