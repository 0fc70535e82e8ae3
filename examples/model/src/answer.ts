import type { LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { isObject } from './json.ts';

/** Ends every answer. */
export const demoNote = '(This is the demo model. Set OPENAI_API_KEY for a real one.)';

/** A tool's result as a sentence. */
export function describeResult(toolName: string, output: LanguageModelV4ToolResultOutput): string {
  switch (output.type) {
    case 'text':
      return withoutNote(output.value);
    case 'json':
      return `${toolName} says: ${inWords(output.value)}.`;
    case 'execution-denied':
      return output.reason === undefined
        ? `All right, I leave ${toolName} alone.`
        : `All right, I leave ${toolName} alone: ${output.reason}.`;
    case 'error-text':
      return `${toolName} did not work: ${output.value}`;
    case 'error-json':
      return `${toolName} did not work: ${inWords(output.value)}.`;
    case 'content':
      return output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' ');
  }
}

/** What to say when there is nothing to look up. */
export function smallTalk(message: string, earlier: readonly string[], tools: readonly string[]): string {
  if (/\b(what('s| is)|do you (know|remember)) my name\b/i.test(message)) {
    const name = earlier
      .map((text) => /\bmy name is ([\p{L}-]+)/iu.exec(text)?.[1])
      .findLast((found) => found !== undefined);
    return name === undefined ? 'You have not told me your name.' : `Your name is ${name}.`;
  }
  const told = /\bmy name is ([\p{L}-]+)/iu.exec(message)?.[1];
  if (told !== undefined) return `Hello ${told}.`;
  const greeting = /^\s*(hi|hello|hey|good (morning|evening|day))\b/i.test(message) ? 'Hello! ' : '';
  const help =
    tools.length === 0 ? 'I have no tools here, so I can only repeat what you say' : `I can use ${tools.join(', ')}`;
  return greeting === '' ? `You said: "${shortened(message)}". ${help}.` : `${greeting}${help}.`;
}

/** What a delegate said ends with its own note: one is enough. */
function withoutNote(text: string): string {
  return text.replace(demoNote, '').trim();
}

function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(inWords).join('; ');
  if (!isObject(value)) return String(value);
  const entries = Object.entries(value);
  return entries.length === 0
    ? 'nothing'
    : entries
        .map(
          ([name, item]) =>
            `${spaced(name)} ${Array.isArray(item) && item.length > 0 ? `(${inWords(item)})` : inWords(item)}`,
        )
        .join(', ');
}

function spaced(name: string): string {
  return name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
