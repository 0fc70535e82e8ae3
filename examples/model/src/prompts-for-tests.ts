import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';

/** What the user says. */
export function user(...texts: string[]): LanguageModelV4Message {
  return { role: 'user', content: texts.map((each) => ({ type: 'text', text: each })) };
}

/** What the model said. */
export function assistant(said: string): LanguageModelV4Message {
  return { role: 'assistant', content: [{ type: 'text', text: said }] };
}

/** A call of a tool and what came of it. */
export function outcome(
  toolName: string,
  output: LanguageModelV4ToolResultOutput,
  input: unknown = {},
): LanguageModelV4Message[] {
  return [
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `of-${toolName}`, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: `of-${toolName}`, toolName, output }] },
  ];
}
