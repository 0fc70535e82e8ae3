import { ConfigurationError, isHalyardError } from '@halyard/contracts';
import { createTool, type McpTool, type Tool } from '@halyard/core';
import { contentText } from './content-text.ts';
import { McpToolFailedError } from './errors.ts';
import type { McpClient } from './mcp-client.ts';

export interface McpToolsOptions {
  /** Which of the server's tools; default: all. */
  readonly filter?: (tool: McpTool) => boolean;
  /** Whether a person must agree to each call; default: no. */
  readonly needsApproval?: boolean;
  /** Comes before the name of each tool, to tell servers apart. Default: nothing. */
  readonly prefix?: string;
}

/**
 * The tools of an outside server, to be given to agents: asked for once, now. They are checked and described by the server's own JSON
 * Schemas; characters of their names that models do not accept become `_`. An abort of the run reaches the server.
 *
 * @throws ConfigurationError when two of them come to the same name, or a schema cannot be used; UnavailableError when the server cannot be reached.
 */
export async function mcpTools(
  client: McpClient,
  { filter = () => true, needsApproval = false, prefix = '' }: McpToolsOptions = {},
): Promise<Tool[]> {
  const listed = (await client.listTools()).filter(filter);
  const tools = listed.map((tool) => toTool(client, tool, { needsApproval, prefix }));
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name))
      throw new ConfigurationError(
        `Two tools of MCP server "${client.id}" are named "${name}": take one out by \`filter\``,
      );
    names.add(name);
  }
  return tools;
}

function toTool(
  client: McpClient,
  { description, inputSchema, name }: McpTool,
  { needsApproval, prefix }: Required<Pick<McpToolsOptions, 'needsApproval' | 'prefix'>>,
): Tool {
  return createTool({
    name: `${prefix}${name}`.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64),
    description,
    tags: ['mcp'],
    input: inputSchema,
    needsApproval,
    execute: async (input, { signal }) => {
      const result = await callTool(client, name, input, signal);
      if (result.isError === true) throw new McpToolFailedError(name, contentText(result.content));
      return result.structuredContent ?? contentText(result.content);
    },
  });
}

async function callTool(
  client: McpClient,
  name: string,
  input: unknown,
  signal: AbortSignal,
): ReturnType<McpClient['callTool']> {
  try {
    // Its schema says that it is an object.
    return await client.callTool(name, input as Readonly<Record<string, unknown>>, signal);
  } catch (error) {
    if (isHalyardError(error)) throw error;
    // What the protocol says of calls that cannot be: the model may mend its arguments.
    throw new McpToolFailedError(name, error instanceof Error ? error.message : '', { cause: error });
  }
}
