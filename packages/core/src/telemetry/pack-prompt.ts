import type { PackReader, PackWriter } from '@halyard/contracts';
import type { Prompt, PromptMessage, ToolResultOutput } from '../model/model-port.ts';
import type { Part } from './prompt-content.ts';

/** How a part is packed: what is told of these kinds is written down, others are kept as they are. */
const kinds = { other: 0, text: 1, reasoning: 2, toolCall: 3, toolResult: 4 };
/** How a message is packed: one of these roles and kinds has one text, as most have. */
const messages = { other: 0, user: 1, assistant: 2 };

/** What is told of a prompt. @param length how many messages of it. */
export function packPrompt(prompt: Prompt | undefined, length: number, to: PackWriter): void {
  if (prompt === undefined) {
    to.integer(-1);
    return;
  }
  to.integer(length);
  for (let index = 0; index < length; index += 1) packMessage(prompt[index], to);
}

export function unpackPrompt(from: PackReader): Prompt | undefined {
  const length = from.integer();
  return length < 0 ? undefined : Array.from({ length }, () => unpackMessage(from));
}

export function packParts(parts: readonly Part[] | undefined, to: PackWriter): void {
  to.integer(parts?.length ?? -1);
  if (parts === undefined) return;
  for (let index = 0; index < parts.length; index += 1) packPart(parts[index], to);
}

export function unpackParts(from: PackReader): Part[] | undefined {
  const length = from.integer();
  return length < 0 ? undefined : Array.from({ length }, () => unpackPart(from));
}

function packMessage(message: PromptMessage | undefined, to: PackWriter): void {
  const role = message?.role;
  if (message !== undefined && (role === 'user' || role === 'assistant') && message.content.length === 1) {
    const part = message.content[0] as Part;
    if (part.type === 'text') {
      to.integer(messages[role]);
      // Most of what a model is shown was said before and is held elsewhere: to copy it would have it read again.
      to.held(part.text);
      return;
    }
  }
  to.integer(messages.other);
  to.shared(role);
  if (message?.role === 'system') to.held(message.content);
  else packParts(message?.content, to);
}

function unpackMessage(from: PackReader): PromptMessage {
  const kind = from.integer();
  if (kind !== messages.other)
    return { role: kind === messages.user ? 'user' : 'assistant', content: [{ type: 'text', text: from.held() }] };
  const role = from.shared<PromptMessage['role']>();
  const content = role === 'system' ? from.held<string>() : (unpackParts(from) ?? []);
  return { role, content } as PromptMessage;
}

function packPart(part: Part | undefined, to: PackWriter): void {
  switch (part?.type) {
    case 'text':
      to.integer(kinds.text);
      to.text(part.text);
      return;
    case 'reasoning':
      to.integer(kinds.reasoning);
      to.text(part.text);
      return;
    case 'tool-call':
      to.integer(kinds.toolCall);
      to.held(part.toolCallId);
      to.held(part.toolName);
      to.value(part.input);
      return;
    case 'tool-result':
      if (!('value' in part.output) || 'providerOptions' in part.output) break;
      to.integer(kinds.toolResult);
      to.held(part.toolCallId);
      to.held(part.toolName);
      to.shared(part.output.type);
      to.value(part.output.value);
      return;
    default:
  }
  to.integer(kinds.other);
  to.value(part);
}

function unpackPart(from: PackReader): Part {
  switch (from.integer()) {
    case kinds.text:
      return { type: 'text', text: from.text() ?? '' };
    case kinds.reasoning:
      return { type: 'reasoning', text: from.text() ?? '' };
    case kinds.toolCall:
      return { type: 'tool-call', toolCallId: from.held(), toolName: from.held(), input: from.value() };
    case kinds.toolResult:
      return unpackResult(from);
    default:
      return from.value();
  }
}

function unpackResult(from: PackReader): Part {
  const [toolCallId, toolName] = [from.held<string>(), from.held<string>()];
  const output = { type: from.shared(), value: from.value() } as ToolResultOutput;
  return { type: 'tool-result', toolCallId, toolName, output };
}
