import { ConfigurationError } from '@halyard/contracts';
import { toNamedItems } from './collection.ts';
import { isProviderTool, type ProviderTool } from './provider-tool.ts';
import { fromSdkTool, isSdkTool, type SdkTool } from './sdk-tool.ts';
import type { Tool } from './tool.ts';

/**
 * Tools of `createTool` and of providers, in a list or in a record. Only a record can have tools of
 * the AI SDK, because it names them. It also names tools of providers. A tool of `createTool` keeps
 * its own name.
 */
export type ToolsOption = readonly (Tool | ProviderTool)[] | Readonly<Record<string, Tool | ProviderTool | SdkTool>>;

/**
 * @throws ConfigurationError for something that is no tool, and for a tool of the AI SDK without a
 * name.
 */
export function toToolList(tools: ToolsOption | undefined, owner: string): readonly (Tool | ProviderTool)[] {
  const named = toNamedItems<Tool | ProviderTool | SdkTool>(tools, { owner, noun: 'tool', isItem: isTool });
  return named.map(([name, tool]) => {
    if (isProviderTool(tool)) return Array.isArray(tools) ? tool : { ...tool, name };
    if (!isSdkTool(tool)) return tool;
    if (!Array.isArray(tools)) return fromSdkTool(name, tool);
    throw new ConfigurationError(
      `Item ${Number(name) + 1} of ${owner} is a tool of the AI SDK, which has no name: pass a record, { weather: tool({ … }) }`,
    );
  });
}

function isTool(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'inputSchema' in value || ('type' in value && value.type === 'provider') || ('input' in value && 'execute' in value)
  );
}
