import type { ModelTool } from '../../model/model-port.ts';
import type { Tool } from '../../tool/tool.ts';

/** What models are told of a tool. */
export function toModelTool({ name, description, input }: Tool): ModelTool {
  return { type: 'function', name, description, inputSchema: input.jsonSchema };
}
