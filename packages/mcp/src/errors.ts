import { HalyardError, type HalyardErrorOptions, UnavailableError } from '@halyard/contracts';

/** An outside server cannot be reached, or broke off. What its transport said is only in `cause`. */
export class McpServerUnavailableError extends UnavailableError {
  constructor(serverId: string, options: HalyardErrorOptions = {}) {
    super('MCP_SERVER_UNAVAILABLE', `MCP server "${serverId}" cannot be reached`, options);
  }
}

/** An outside server says that its tool failed, in words for the model. */
export class McpToolFailedError extends HalyardError {
  constructor(toolName: string, said: string, options: HalyardErrorOptions = {}) {
    super('failed', 'MCP_TOOL_FAILED', `Tool "${toolName}" failed${said === '' ? '' : `: ${said}`}`, options);
  }
}
