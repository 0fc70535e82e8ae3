import type { ToolPart } from '@halyard/contracts';

/** The name of the tool that a part of a UI message calls: `tool-<name>`, or `dynamic-tool`. */
export function toolNameFromPart(part: ToolPart): string {
  return part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length);
}
