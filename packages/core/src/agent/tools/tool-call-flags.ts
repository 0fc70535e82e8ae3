import type { RunDependencies } from '../loop/run.ts';

/** The fields with which a client shows a call of a tool. */
export interface ToolCallFlags {
  /** The tool is not one of the agent's. */
  readonly dynamic?: true;
  readonly title?: string;
}

export function toToolCallFlags(
  { findTool, modelTools }: Pick<RunDependencies, 'findTool' | 'modelTools'>,
  toolName: string,
): ToolCallFlags {
  const title = findTool(toolName)?.title;
  const isKnown = modelTools.some(({ name }) => name === toolName);
  return { ...(!isKnown && { dynamic: true }), ...(title !== undefined && { title }) };
}
