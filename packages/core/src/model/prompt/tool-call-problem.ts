import type { InvalidToolInputError, NoSuchToolError } from 'ai';

/** Why a call of the model cannot run, as the AI SDK says it. */
export type ToolCallProblem = NoSuchToolError | InvalidToolInputError;

export async function noSuchTool(toolName: string, availableTools: string[]): Promise<ToolCallProblem> {
  const { NoSuchToolError: Problem } = await import('ai');
  return new Problem({ toolName, availableTools });
}

export async function invalidToolInput(toolName: string, toolInput: string, cause: string): Promise<ToolCallProblem> {
  const { InvalidToolInputError: Problem } = await import('ai');
  return new Problem({ toolName, toolInput, cause });
}
