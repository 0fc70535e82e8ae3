import type { PackReader, PackWriter } from '@halyard/contracts';
import type { Prompt, PromptMessage, ToolResultOutput } from '../model/model-port.ts';
import type { Part } from './attributes/prompt-content.ts';

/** How a part is packed: what is told of these kinds is written down, others are kept as they are. */
const kinds = { other: 0, text: 1, reasoning: 2, toolCall: 3, toolResult: 4 };
/** How a message is packed: most are one text, and only their role is told besides. So little is written for many of them at once. */
const shapes = { other: 0, system: 1, user: 2, assistant: 3 };
const bitsOfShape = 2;
const shapeMask = 3;
const shapesOfInteger = 15;

/** What is told of a prompt. @param length how many messages of it. */
export function packPrompt(prompt: Prompt | undefined, length: number, to: PackWriter): void {
  if (prompt === undefined) {
    to.integer(-1);
    return;
  }
  to.integer(length);
  for (let from = 0; from < length; from += shapesOfInteger)
    packMessages(prompt, from, Math.min(length, from + shapesOfInteger), to);
}

export function unpackPrompt(from: PackReader): Prompt | undefined {
  const length = from.integer();
  if (length < 0) return undefined;
  const prompt: Prompt = [];
  let left = 0;
  while (prompt.length < length) {
    if (prompt.length % shapesOfInteger === 0) left = from.integer();
    prompt.push(unpackMessage(left & shapeMask, from));
    left >>= bitsOfShape;
  }
  return prompt;
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

/** @param end of the first that is none of them. */
function packMessages(prompt: Prompt, start: number, end: number, to: PackWriter): void {
  let left = 0;
  for (let index = end - 1; index >= start; index -= 1) left = (left << bitsOfShape) | shapeOf(prompt[index]);
  to.integer(left);
  for (let index = start; index < end; index += 1) {
    const message = prompt[index];
    if ((left & shapeMask) === shapes.other) {
      to.shared(message?.role);
      packParts(message?.content as readonly Part[] | undefined, to);
    }
    // Most of what a model is shown was said before and is held elsewhere: to copy it would have it read again.
    else to.held(message?.role === 'system' ? message.content : textAlone(message?.content));
    left >>= bitsOfShape;
  }
}

function shapeOf(message: PromptMessage | undefined): number {
  if (message?.role === 'system') return shapes.system;
  if (textAlone(message?.content) === undefined) return shapes.other;
  return message?.role === 'user' ? shapes.user : message?.role === 'assistant' ? shapes.assistant : shapes.other;
}

/** The text of what is one text. */
function textAlone(content: PromptMessage['content'] | undefined): string | undefined {
  const part = content?.length === 1 ? (content[0] as Part) : undefined;
  return part?.type === 'text' ? part.text : undefined;
}

function unpackMessage(shape: number, from: PackReader): PromptMessage {
  switch (shape) {
    case shapes.system:
      return { role: 'system', content: from.held() };
    case shapes.user:
      return { role: 'user', content: [{ type: 'text', text: from.held() }] };
    case shapes.assistant:
      return { role: 'assistant', content: [{ type: 'text', text: from.held() }] };
    default:
      return { role: from.shared(), content: unpackParts(from) ?? [] } as PromptMessage;
  }
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
