import { type Static, Type } from '@sinclair/typebox';
import { anyNullableObject, anyObject } from './any-object.ts';

export const McpServerParams = Type.Object({ serverId: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,64}$' }) });

/** A registered MCP server: one that is served here, or one of somebody else's. */
export const McpServerSummary = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    version: Type.Union([Type.String(), Type.Null()], {
      description: 'Null of an outside server that has not been reached yet.',
    }),
    description: Type.String(),
    transport: Type.Union([Type.Literal('streamable-http'), Type.Literal('stdio')]),
    url: Type.Union([Type.String(), Type.Null()], {
      description: 'Where clients reach it, without credentials; null of a program that is started here.',
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
      description: 'JSON Schema of the structured result, where the tool states one.',
    }),
  },
  { $id: 'McpToolSummary' },
);
export type McpToolSummary = Static<typeof McpToolSummary>;
