import { ConfigurationError } from '@halyard/contracts';
import type { ModelCallOptions, ModelTool } from '../../model/providers/model-port.ts';
import type { LoopControl } from '../loop-control.ts';

type ToolSettings = Pick<ModelCallOptions, 'tools' | 'toolChoice'>;

/** The tools of a model call, and how the model may use them. */
export interface ActiveTools {
  readonly modelTools: ModelTool[];
  readonly toolChoice: NonNullable<ToolSettings['toolChoice']>;
}

/** @throws ConfigurationError for the choice of a tool that the model does not receive. */
export function selectActiveTools(all: ModelTool[], { activeTools, toolChoice = 'auto' }: LoopControl): ActiveTools {
  const modelTools = activeTools === undefined ? all : all.filter(({ name }) => activeTools.includes(name));
  if (typeof toolChoice === 'string') return { modelTools, toolChoice: { type: toolChoice } };
  const { toolName } = toolChoice;
  if (!modelTools.some(({ name }) => name === toolName))
    throw new ConfigurationError(
      `\`toolChoice\` names the tool "${toolName}", which the model does not receive; it receives: ${listToolNames(modelTools)}`,
    );
  return { modelTools, toolChoice: { type: 'tool', toolName } };
}

export function listToolNames(tools: readonly ModelTool[]): string {
  return tools.map(({ name }) => name).join(', ') || 'none';
}
