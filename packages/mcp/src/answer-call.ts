import { type HalyardError, isHalyardError } from '@halyard/contracts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ServedCall, ServedTool } from './served-tool.ts';

/**
 * Runs a tool for a client. A failure is a result too: it contains the message of an error for clients, but no details of other errors.
 *
 * @throws ProtocolError for an unknown tool.
 */
export async function answerCall(
  tools: ReadonlyMap<string, ServedTool>,
  { arguments: input = {}, name }: { readonly name: string; readonly arguments?: Record<string, unknown> | undefined },
  call: ServedCall,
): Promise<CallToolResult> {
  const served = tools.get(name);
  if (served === undefined) {
    const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Tool not found: ${name.slice(0, 100)}`);
  }
  try {
    return toResult(await served.run(input, call), served);
  } catch (error) {
    if (!isReadable(error) && !call.signal.aborted)
      call.services.logger.error({ err: error, tool: name }, 'a tool that an MCP client called failed');
    return failed(isReadable(error) ? error.message : `Tool "${name}" failed`);
  }
}

function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function toResult(result: unknown, { tool }: ServedTool): CallToolResult {
  const text = typeof result === 'string' ? result : JSON.stringify(result);
  const content: CallToolResult['content'] = [{ type: 'text', text }];
  return tool.outputSchema !== null || isObject(result) ? { content, structuredContent: result } : { content };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isReadable(error: unknown): error is HalyardError {
  return isHalyardError(error) && error.kind !== 'internal';
}
