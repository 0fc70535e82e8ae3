import { HalyardError, type HalyardErrorOptions, UnavailableError } from '@halyard/contracts';

/**
 * An outside server cannot be reached, or the connection broke. Clients may read the message, so
 * the error of the transport is only in `cause`.
 */
export class McpServerUnavailableError extends UnavailableError {
  /**
   * @param options `details`: where the server was expected and why it was not there, for an error
   * that no client reads.
   */
  constructor(serverId: string, options: HalyardErrorOptions & { readonly details?: string } = {}) {
    const { cause, details } = options;
    super(
      'MCP_SERVER_UNAVAILABLE',
      `MCP server "${serverId}" cannot be reached${details === undefined ? '' : ` ${details}`}`,
      { cause },
    );
  }
}

/** The message of the error that caused all others, such as `connect ECONNREFUSED 127.0.0.1:80`. */
export function rootMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(rootMessage).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : rootMessage(error.cause);
}

/** An outside server reports that its tool failed. The message is for the model. */
export class McpToolFailedError extends HalyardError {
  constructor(toolName: string, details: string, options: HalyardErrorOptions = {}) {
    super('failed', 'MCP_TOOL_FAILED', `Tool "${toolName}" failed${details === '' ? '' : `: ${details}`}`, options);
  }
}
