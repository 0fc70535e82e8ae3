export type { McpCaller } from './connections-by-user.ts';
export {
  McpClient,
  mcpClient,
  type McpClientOptions,
  type McpHeaders,
  type McpHeadersRequest,
  type McpRequestOptions,
} from './mcp-client.ts';
export { McpServerUnavailableError, McpToolFailedError } from './errors.ts';
export { mcpServer, type McpServerOptions } from './mcp-server.ts';
export { mcpTools, type McpToolsOptions } from './mcp-tools.ts';
