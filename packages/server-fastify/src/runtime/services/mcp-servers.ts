import { ConfigurationError, type Logger, NotFoundError } from '@halyard/contracts';
import type { McpServer, Registry } from '@halyard/core/server';

/** The MCP servers (Model Context Protocol) that the app has registered. */
export class McpServers {
  readonly all: readonly McpServer[];

  /**
   * @throws ConfigurationError if two servers have the same id, or one offers a workflow that is
   * not registered.
   */
  constructor(servers: readonly McpServer[], registry: Registry) {
    const ids = new Set<string>();
    for (const { id, workflows } of servers) {
      if (ids.has(id)) throw new ConfigurationError(`Two MCP servers have the id "${id}"`);
      ids.add(id);
      const unknown = workflows.find((workflow) => !registry.workflows.includes(workflow));
      if (unknown !== undefined)
        throw new ConfigurationError(
          `MCP server "${id}" offers the workflow "${unknown.id}": pass it to the option \`workflows\` too`,
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

  /** Closes all servers and logs failures. */
  async close(logger: Logger): Promise<void> {
    const closing = this.all.map(async (server) => {
      try {
        await server.close();
      } catch (error) {
        logger.warn({ err: error, mcpServerId: server.id }, 'could not close an MCP server');
      }
    });
    await Promise.all(closing);
  }
}

export function mcpServerNotFound(id: string): NotFoundError {
  return new NotFoundError('MCP server', id);
}
