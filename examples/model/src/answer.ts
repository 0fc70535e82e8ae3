import type { LanguageModelV4FunctionTool, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import type { Conversation } from './conversation.ts';
import { isObject } from './json.ts';
import { factsIn, recall, shortened } from './recall.ts';

/** Describes a tool's result in a sentence. */
export function describeResult(toolName: string, output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case 'text':
      return clipped(output.value) || `${toolName} gave an empty answer.`;
    case 'json':
      return describeValue(toolName, output.value);
    case 'execution-denied':
      return output.reason === undefined
        ? `All right, I leave ${toolName} alone.`
        : `All right, I leave ${toolName} alone: ${output.reason}.`;
    case 'error-text':
      return `${toolName} did not work: ${clipped(output.value)}`;
    case 'error-json':
      return `${toolName} did not work: ${errorText(output.value)}`;
    case 'content':
      return output.value
        .map((part) => (part.type === 'text' ? part.text : part.type === 'file' ? `[${part.mediaType}]` : ''))
        .join(' ')
        .trim();
    default:
      return output satisfies never;
  }
}

/** The answer if no tool is called. */
export function smallTalk(
  { message, earlier, files, system }: Conversation,
  tools: readonly LanguageModelV4FunctionTool[],
): string {
  const remembered = recall(message, earlier, system);
  if (remembered !== undefined) return remembered;
  if (files.length > 0)
    return `I got ${listed(files.map((type) => `a file (${type})`))}, but the demo model cannot look into files.`;
  if (/\bwhat (?:can|do) you do\b|\bwho are you\b|^\s*help\b/iu.test(message)) return introduction(tools);
  if (/^\s*(?:thanks|thank you|thx)\b/iu.test(message)) return 'You are welcome.';
  if (/^\s*(?:bye|goodbye|see you)\b/iu.test(message)) return 'Goodbye.';
  const [fact] = factsIn([message]);
  if (fact !== undefined) return fact[0] === 'name' ? `Hello ${fact[1]}.` : `All right, your ${fact[0]} is ${fact[1]}.`;
  if (/^\s*(?:hi|hello|hey|good (?:morning|evening|day|afternoon))\b/iu.test(message))
    return `Hello! ${introduction(tools)}`;
  return message === '' ? introduction(tools) : `You said: "${shortened(message)}". ${abilities(tools)}`;
}

/** The answer if the tool is known but its input is incomplete. */
export function askFor(toolName: string, missing: readonly string[]): string {
  return `For that I would use ${toolName}, but I miss something: ${missing.map(spaced).join(', ')}.`;
}

/** The tool that an earlier answer of {@link askFor} names. */
export function askedToolIn(answer: string): string | undefined {
  return /^For that I would use (\S+), but I miss something/u.exec(answer)?.[1];
}

function introduction(tools: readonly LanguageModelV4FunctionTool[]): string {
  return `I am the demo model, which needs no network. ${abilities(tools)}`;
}

function abilities(tools: readonly LanguageModelV4FunctionTool[]): string {
  if (tools.length === 0) return 'I have no tools here, so there is little I can do but repeat what you say.';
  return `I can use ${listed(tools.slice(0, 12).map(({ name }) => name))}${tools.length > 12 ? ' and more' : ''}.`;
}

function describeValue(toolName: string, value: unknown): string {
  // A result that is a single text is returned unchanged.
  if (typeof value === 'string') return clipped(value);
  if (value === null) return `${toolName} is done.`;
  if (isObject(value)) {
    const [[name, item] = [], ...others] = Object.entries(value);
    const isText = /^(?:text|answer|message|output|content|summary)$/u.test(name ?? '');
    if (others.length === 0 && isText && typeof item === 'string') return clipped(item);
  }
  return `${toolName} says: ${clipped(inWords(value))}.`;
}

function errorText(value: unknown): string {
  return clipped(isObject(value) && typeof value['message'] === 'string' ? value['message'] : inWords(value));
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) {
    const shown = value.slice(0, 10).map(inWords).join('; ');
    return value.length === 0 ? 'nothing' : value.length > 10 ? `${shown}; and ${value.length - 10} more` : shown;
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  if (!isObject(value)) return 'none';
  const entries = Object.entries(value);
  if (entries.length === 0) return 'nothing';
  return entries
    .map(
      ([name, item]) =>
        `${spaced(name)} ${typeof item === 'object' && item !== null ? `(${inWords(item)})` : inWords(item)}`,
    )
    .join(', ');
}

function spaced(name: string): string {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

function listed(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

function clipped(text: string): string {
  return text.length > 4000 ? `${text.slice(0, 4000)}…` : text;
}
