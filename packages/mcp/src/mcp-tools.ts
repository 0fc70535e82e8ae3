import { ConfigurationError, isHalyardError, type User } from '@halyard/contracts';
import { type AccessLevel, createTool, type JsonSchema, type Schema, type Tool } from '@halyard/core';
import type { McpTool } from '@halyard/core/server';
import { contentText, hasFile, isContentWithFiles, withFiles } from './content-for-model.ts';
import { McpServerUnavailableError, McpToolFailedError, rootMessage } from './errors.ts';
import type { McpClient, McpRequestOptions } from './mcp-client.ts';

export interface McpToolsOptions {
  /** The callers that may call the tools directly, as of any tool. Default: `users`. */
  readonly access?: AccessLevel | undefined;
  /** Selects tools of the server; default: all. */
  readonly filter?: ((tool: McpTool) => boolean) | undefined;
  /** Whether a person must approve each call; default: no. */
  readonly needsApproval?: boolean | undefined;
  /** Whose credentials list the tools, for `headers` that depend on the user. Default: nobody's. */
  readonly user?: User | undefined;
  /** The id of that user, as the function `tools` of an agent receives it. */
  readonly userId?: string | undefined;
  /** Aborts listing the tools. */
  readonly signal?: AbortSignal | undefined;
  /** Prefix of the name of each tool, to distinguish servers. Default: none. */
  readonly prefix?: string | undefined;
}

/**
 * Lists the tools of an outside server once, for use by agents. A call has the credentials of the
 * user of its run. Their input is validated and
 * described by the server's own JSON Schemas. A schema that cannot be compiled is passed to the
 * model as it is, with a warning of the process; the server validates its arguments. Characters of
 * their names that models do not accept become `_`. When the run is aborted, the server's call is,
 * too.
 *
 * @throws ConfigurationError when two tools get the same name; UnavailableError when the server
 * cannot be reached, with the reason.
 */
export async function mcpTools(client: McpClient, options: McpToolsOptions = {}): Promise<Tool[]> {
  const { access = 'users', filter = () => true, needsApproval = false, prefix = '' } = options;
  const listed = (await listTools(client, options)).filter(filter);
  const tools = listed.map((tool) => toTool(client, tool, { access, needsApproval, prefix }));
  const names = new Set<string>();
  for (const { name } of tools) {
    if (names.has(name))
      throw new ConfigurationError(
        `Two tools of MCP server "${client.id}" are named "${name}": exclude one with \`filter\``,
      );
    names.add(name);
  }
  return tools;
}

/** An app calls this while it starts, so the error is written for developers. */
async function listTools(client: McpClient, { signal, user, userId }: McpToolsOptions): Promise<readonly McpTool[]> {
  try {
    return await client.listTools({ user, userId, signal });
  } catch (error) {
    if (!(error instanceof McpServerUnavailableError)) throw error;
    const details = `${client.place}: ${rootMessage(error.cause)}`;
    throw new McpServerUnavailableError(client.id, { details, cause: error.cause });
  }
}

function toTool(
  client: McpClient,
  { description, inputSchema, name }: McpTool,
  { access, needsApproval, prefix }: Required<Pick<McpToolsOptions, 'access' | 'needsApproval' | 'prefix'>>,
): Tool {
  const create = (input: Schema): Tool =>
    toolOf(client, { description, name }, input, { access, needsApproval, prefix });
  try {
    return create(inputSchema);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    // One odd schema must not take away the server's other tools. The server validates the
    // arguments too.
    const unchecked = create(uncheckedSchema(inputSchema));
    // The model gets the schema as the server wrote it.
    const tool = { ...unchecked, input: { ...unchecked.input, isClosed: false } };
    process.emitWarning(
      `MCP server "${client.id}", tool "${name}": arguments are not validated here. ${error.message}`,
      'HalyardMcpWarning',
    );
    return tool;
  }
}

/** Describes arguments to the model without validating them. */
function uncheckedSchema(schema: JsonSchema): Schema {
  const toSchema = (): Record<string, unknown> => ({ type: 'object', ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'mcp',
      validate: (value) => ({ value }),
      jsonSchema: { input: toSchema, output: toSchema },
    },
  };
}

function toolOf(
  client: McpClient,
  { description, name }: Pick<McpTool, 'description' | 'name'>,
  input: Schema,
  { access, needsApproval, prefix }: Required<Pick<McpToolsOptions, 'access' | 'needsApproval' | 'prefix'>>,
): Tool {
  return createTool({
    name: `${prefix}${name}`.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64),
    description,
    tags: ['mcp'],
    access,
    input,
    needsApproval,
    execute: async (given, { signal, user, userId }) => {
      const result = await callTool(client, name, given, { signal, user, userId });
      if (result.isError === true) throw new McpToolFailedError(name, contentText(result.content));
      return hasFile(result.content)
        ? withFiles(result.content)
        : (result.structuredContent ?? contentText(result.content));
    },
    toModelOutput: ({ output }) => (isContentWithFiles(output) ? output : undefined),
  });
}

async function callTool(
  client: McpClient,
  name: string,
  input: unknown,
  options: McpRequestOptions,
): ReturnType<McpClient['callTool']> {
  try {
    // Its schema guarantees an object.
    return await client.callTool(name, input as Readonly<Record<string, unknown>>, options);
  } catch (error) {
    if (isHalyardError(error)) throw error;
    // An error of the protocol for an invalid call: the model can correct its arguments.
    throw new McpToolFailedError(name, error instanceof Error ? error.message : '', { cause: error });
  }
}
