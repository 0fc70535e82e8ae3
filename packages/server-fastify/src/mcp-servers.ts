import { ConfigurationError, type Logger, NotFoundError } from '@halyard/contracts';
import type { McpServer, Registry } from '@halyard/core';

/** The servers of the Model Context Protocol that an app has registered. */
export class McpServers {
  readonly all: readonly McpServer[];

  /** @throws ConfigurationError when two share an id, or one runs a workflow that is not the server's. */
  constructor(servers: readonly McpServer[], registry: Registry) {
    const ids = new Set<string>();
    for (const { id, workflows } of servers) {
      if (ids.has(id)) throw new ConfigurationError(`Two MCP servers have the id "${id}"`);
      ids.add(id);
      const unknown = workflows.find((workflow) => !registry.workflows.includes(workflow));
      if (unknown !== undefined)
        throw new ConfigurationError(
          `MCP server "${id}" runs the workflow "${unknown.id}": pass it to \`workflows\` of the server too`,
        );
    }
    this.all = servers;
  }

  /** @throws NotFoundError (`MCP_SERVER_NOT_FOUND`) */
  get(id: string): McpServer {
    const found = this.all.find((server) => server.id === id);
    if (found === undefined) throw mcpServerNotFound(id);
    return found;
  }

  /** Closes them all; what cannot be closed is logged. */
  async close(logger: Logger): Promise<void> {
    const closing = this.all.map(async (server) => {
      try {
        await server.close();
      } catch (error) {
        logger.warn({ err: error, mcpServerId: server.id }, 'an MCP server could not be closed in order');
      }
    });
    await Promise.all(closing);
  }
}

export function mcpServerNotFound(id: string): NotFoundError {
  return new NotFoundError('MCP server', id);
}
