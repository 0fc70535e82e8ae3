import { type HalyardError, isHalyardError } from '@halyard/contracts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { contentForClient } from './content-for-client.ts';
import type { ServedCall, ServedResult, ServedTool } from './served-tool.ts';

/**
 * Runs a tool for a client. A failure is a result too: it contains the message of an error for
 * clients, but no details of other errors.
 *
 * @throws ProtocolError for an unknown tool.
 */
export async function replyToCall(
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
    return toResult(await served.run(input, call), served, `tool://${name}/${call.services.ids.next()}`);
  } catch (error) {
    if (!isReadable(error) && !call.signal.aborted)
      call.services.logger.error({ err: error, tool: name }, 'a tool that an MCP client called failed');
    return failed(isReadable(error) ? error.message : `Tool "${name}" failed`);
  }
}

function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/** @param uri prefix of the URIs of embedded resources. */
function toResult({ forModel, output }: ServedResult, { tool }: ServedTool, uri: string): CallToolResult {
  // The protocol requires it of a tool with a schema. Where the tool converts its output for a
  // model, nothing else is sent.
  const isStructured = tool.outputSchema !== null || (forModel === undefined && isObject(output));
  const structured = isStructured ? { structuredContent: output } : {};
  if (forModel !== undefined) return { ...contentForClient(forModel, uri), ...structured };
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return { content: [{ type: 'text', text }], ...structured };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isReadable(error: unknown): error is HalyardError {
  return isHalyardError(error) && error.kind !== 'internal';
}
