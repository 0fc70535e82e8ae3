import { createHash } from 'node:crypto';
import { isBlank } from '../messages/content.ts';
import type { AssistantPart, PromptMessage, ToolPrompt } from '../providers/model-port.ts';
import { bedrock, providerName } from '../providers/provider-name.ts';

type ToolPart = ToolPrompt['content'][number];
type CallPart = Extract<AssistantPart | ToolPart, { readonly toolCallId: string; readonly toolName: string }>;
type ResultPart = Extract<ToolPart, { type: 'tool-result' }>;
type ToolOutput = ResultPart['output'];

/**
 * A message that every provider can read, whichever model or tool wrote its parts:
 *
 * - Half of a surrogate pair, such as of an emoji that was cut, becomes �. Providers refuse the
 *   whole request as invalid JSON.
 * - The name of a tool that a model has invented consists of the characters that names may have.
 * - So does the id of a call, for providers that give ids of this form. Others, such as
 *   `functions.look:0`, are sent as they are to those that gave them.
 * - A result is never empty, and one for Bedrock contains no blank text.
 */
export function portableMessage(message: PromptMessage, provider: string): PromptMessage {
  switch (message.role) {
    case 'system':
      return wellFormed(message);
    case 'user':
      return wellFormed(message);
    case 'assistant':
      // Calls that a provider ran have its names and ids.
      return wellFormed({
        ...message,
        content: message.content.map((part) =>
          part.type === 'tool-call' && part.providerExecuted !== true ? portablePart(part, provider) : part,
        ),
      });
    case 'tool':
      return wellFormed({
        ...message,
        content: message.content.map((part) =>
          part.type === 'tool-result' ? withOutput(portablePart(part, provider), provider) : part,
        ),
      });
    default:
      return message satisfies never;
  }
}

const strictProviders: ReadonlySet<string> = new Set([bedrock, 'anthropic', 'azure', 'bedrock', 'openai']);
const acceptedId = /^[a-zA-Z0-9_-]{1,40}$/;
const acceptedName = /^[a-zA-Z0-9_-]{1,64}$/;

function portablePart<Part extends CallPart>(part: Part, provider: string): Part {
  const toolCallId = strictProviders.has(providerName(provider)) ? portableId(part.toolCallId) : part.toolCallId;
  const toolName = acceptedName.test(part.toolName) ? part.toolName : replaced(part.toolName).slice(0, 64);
  return toolCallId === part.toolCallId && toolName === part.toolName ? part : { ...part, toolCallId, toolName };
}

/** Two ids stay different. */
function portableId(id: string): string {
  if (acceptedId.test(id)) return id;
  const digest = createHash('sha256').update(id).digest('hex').slice(0, 8);
  return `${replaced(id).slice(0, 31)}_${digest}`;
}

function replaced(text: string): string {
  return text === '' ? '_' : text.replaceAll(/[^a-zA-Z0-9_-]/gu, '_');
}

function withOutput(part: ResultPart, provider: string): ResultPart {
  const { output } = part;
  if (isEmpty(output)) return { ...part, output: { type: 'text', value: '[The tool returned nothing.]' } };
  if (output.type !== 'content' || providerName(provider) !== bedrock) return part;
  return { ...part, output: { ...output, value: output.value.filter((item) => !isBlankText(item)) } };
}

function isEmpty(output: ToolOutput): boolean {
  switch (output.type) {
    case 'text':
    case 'error-text':
      return isBlank(output.value);
    case 'content':
      return output.value.every(isBlankText);
    default:
      return false;
  }
}

function isBlankText(item: Extract<ToolOutput, { type: 'content' }>['value'][number]): boolean {
  return item.type === 'text' && isBlank(item.text);
}

/** The same value where nothing has to be replaced. Bytes of files and URLs are not looked at. */
function wellFormed<Value>(value: Value): Value {
  return isWellFormed(value) ? value : (repaired(value) as Value);
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isPlain(value) || Object.entries(value).every(([key, field]) => key.isWellFormed() && isWellFormed(field));
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (!isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key.toWellFormed(), repaired(field)]));
}

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !(value instanceof URL);
}
