import type { Tool } from '../tool/tool.ts';
import type { ToolsOption } from '../tool/tools-option.ts';
import type { StepResult, TextResult, ToolOutputResult } from './run-result.ts';

/**
 * A result of one of these tools: `toolName` narrows `input` and `output`. Where a tool has no name
 * that the compiler knows, as with tools of an MCP server, they are `unknown`.
 */
export type ToolOutputOf<Tools extends ToolsOption> = string extends NameOf<Tools> ? ToolOutputResult : OutputOf<Tools>;

type NameOf<Tools extends ToolsOption> = OutputOf<Tools>['toolName'];

type OutputOf<Tools extends ToolsOption> = Tools extends readonly (infer One)[]
  ? OutputOfTool<One, string> | OutputOfSubAgent
  : { [Name in keyof Tools & string]: OutputOfTool<Tools[Name], Name> }[keyof Tools & string] | OutputOfSubAgent;

type OutputOfTool<One, Key extends string> =
  One extends Tool<infer Name, infer Input, infer Output> ? Named<Name, Input, Output> : Named<Key, unknown, unknown>;

/** An agent may also have sub-agents, which it calls as tools. */
type OutputOfSubAgent = Named<`ask_${string}`, unknown, unknown>;

interface Named<Name extends string, Input, Output> extends ToolOutputResult {
  readonly toolName: Name;
  readonly input: Input;
  readonly output: Output;
}

/** A step of a run of an agent with these tools. */
export interface TypedStep<Tools extends ToolsOption> extends StepResult {
  readonly toolResults: readonly ToolOutputOf<Tools>[];
}

/** The result of a run of an agent with these tools. */
export interface TypedResult<Tools extends ToolsOption> extends TextResult {
  readonly toolResults: readonly ToolOutputOf<Tools>[];
  readonly steps: readonly TypedStep<Tools>[];
}
