import type { LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** A tool call as the prompt tells of it. */
export interface PastCall {
  readonly toolName: string;
  readonly input: unknown;
}

/** A prompt, seen from the user's last message. */
export interface Conversation {
  /** The text of that message. */
  readonly message: string;
  /** Media types of the files in it. */
  readonly files: readonly string[];
  /** Texts of the user's messages before it, oldest first. */
  readonly earlier: readonly string[];
  /** What the assistant said last before it. */
  readonly lastAnswer: string;
  /** The last tool call before it. */
  readonly lastCall: PastCall | undefined;
  /** Tools called for it so far, and what came of them. */
  readonly called: readonly PastCall[];
  readonly results: readonly LanguageModelV4ToolResultPart[];
  readonly system: string;
}

/** Sorts the parts of a prompt by what they are to the user's last message. */
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
