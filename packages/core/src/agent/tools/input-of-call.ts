import type { Prompt } from '../../model/providers/model-port.ts';

/** The input of the newest call with this id; null where the prompt has no such call. */
export function inputInPrompt(prompt: Prompt, toolCallId: string): unknown {
  const parts = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  const call = parts.findLast((part) => part.type === 'tool-call' && part.toolCallId === toolCallId);
  return call?.type === 'tool-call' ? call.input : null;
}
