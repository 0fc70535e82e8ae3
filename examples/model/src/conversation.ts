import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** A tool call in the prompt. */
export interface PastCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** A prompt, relative to the user's last message. */
export interface Conversation {
  /** The text of the last user message. */
  readonly message: string;
  /** The media types of its files. */
  readonly files: readonly string[];
  /** The texts of earlier user messages, oldest first. */
  readonly earlier: readonly string[];
  /** The last answer of the assistant before it. */
  readonly lastAnswer: string;
  /** The last tool call before it. */
  readonly lastCall: PastCall | undefined;
  /** The tool calls made for it so far; `results` are their results. */
  readonly called: readonly PastCall[];
  readonly results: readonly LanguageModelV4ToolResultPart[];
  readonly system: string;
}

/** Groups the parts of a prompt by their relation to the user's last message. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
  const asked = prompt.findLastIndex(({ role }) => role === 'user');
  const [before, since] = [prompt.slice(0, Math.max(0, asked)), prompt.slice(asked + 1)];
  const current = prompt[asked];
  const lastAssistant = before.findLast(({ role, content }) => role === 'assistant' && textOf(content) !== '');
  return {
    message: current === undefined ? '' : textOf(current.content),
    files:
      current?.role === 'user' ? current.content.flatMap((part) => (part.type === 'file' ? [part.mediaType] : [])) : [],
    earlier: before.flatMap(({ role, content }) => (role === 'user' ? [textOf(content)] : [])),
    lastAnswer: lastAssistant === undefined ? '' : textOf(lastAssistant.content),
    lastCall: callsIn(before).at(-1),
    called: callsIn(since),
    results: since.flatMap((message) =>
      message.role === 'tool' || message.role === 'assistant'
        ? message.content.filter((part): part is LanguageModelV4ToolResultPart => part.type === 'tool-result')
        : [],
    ),
    system: prompt.flatMap(({ role, content }) => (role === 'system' ? [textOf(content)] : [])).join('\n'),
  };
}

function callsIn(messages: LanguageModelV4Prompt): readonly PastCall[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.content.flatMap((part) =>
          part.type === 'tool-call' ? [{ toolName: part.toolName, input: part.input }] : [],
        )
      : [],
  );
}

function textOf(content: LanguageModelV4Prompt[number]['content']): string {
  if (typeof content === 'string') return content;
  return content
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim();
}
