import { HalyardError, type HalyardErrorOptions, UnavailableError } from '@halyard/contracts';

/** An outside server cannot be reached, or the connection broke. The error of the transport is only in `cause`. */
export class McpServerUnavailableError extends UnavailableError {
  constructor(serverId: string, options: HalyardErrorOptions = {}) {
    super('MCP_SERVER_UNAVAILABLE', `MCP server "${serverId}" cannot be reached`, options);
  }
}

/** An outside server reports that its tool failed. The message is for the model. */
export class McpToolFailedError extends HalyardError {
  constructor(toolName: string, details: string, options: HalyardErrorOptions = {}) {
    super('failed', 'MCP_TOOL_FAILED', `Tool "${toolName}" failed${details === '' ? '' : `: ${details}`}`, options);
  }
}
