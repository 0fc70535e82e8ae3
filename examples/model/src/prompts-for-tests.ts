import type { LanguageModelV4Message, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';

/** A user message. */
export function user(...texts: string[]): LanguageModelV4Message {
  return { role: 'user', content: texts.map((each) => ({ type: 'text', text: each })) };
}

/** An assistant message. */
export function assistant(answer: string): LanguageModelV4Message {
  return { role: 'assistant', content: [{ type: 'text', text: answer }] };
}

/** A tool call and its result. */
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
