import { randomUUID } from 'node:crypto';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { createScriptedModel, type ScriptedReply } from '@halyard/core/testing';
import { exampleOf } from './example-of.ts';
import { rules } from './rules.ts';

/**
 * Stands in for a model until there is a key. It is no AI: it calls a tool if a rule matches the
 * message, says what the tool returned, and otherwise says what it is.
 *
 * @param delayMs before each word.
 */
export function demoModel({ delayMs = 15 }: { readonly delayMs?: number } = {}): LanguageModelV4 {
  // A scripted model keeps its calls, so each call has its own.
  const create = (): LanguageModelV4 => createScriptedModel([reply], { modelId: 'demo', pieceDelayMs: delayMs });
  return {
    ...create(),
    provider: 'halyard-demo',
    // It does not read files, so the server need not fetch them.
    supportedUrls: { '*/*': [/^https?:\/\//u] },
    doGenerate: (options) => create().doGenerate(options),
    doStream: (options) => create().doStream(options),
  };
}

function reply({ prompt, responseFormat, toolChoice, tools = [] }: LanguageModelV4CallOptions): ScriptedReply {
  const last = prompt.at(-1);
  const text = textOf(last);
  if (responseFormat?.type === 'json') return JSON.stringify(exampleOf(responseFormat.schema ?? {}, text));
  if (last?.role === 'tool') return last.content.map(resultOf).join('\n\n');
  if (prompt.some((message) => textOf(message).startsWith('Name the topic of this conversation'))) return titleOf(text);

  for (const { input, message, toolName } of toolChoice?.type === 'none' ? [] : rules) {
    const match = tools.some(({ name }) => name === toolName) ? message.exec(text) : null;
    if (match !== null) return { toolCalls: [{ toolCallId: `call_${randomUUID()}`, toolName, input: input(match) }] };
  }
  const earlier = prompt.filter(({ role }) => role === 'user').at(-2);
  if (/\bwhat did i say\b/iu.test(text) && earlier !== undefined) return `You said: “${textOf(earlier)}”.`;
  const fileTypes = last?.role === 'user' ? last.content.flatMap((p) => (p.type === 'file' ? [p.mediaType] : [])) : [];
  if (fileTypes.length > 0) return `I got a file (${fileTypes.join(', ')}), but the demo model cannot look into files.`;
  const names = tools.map(({ name }) => name).join(', ');
  return `I am the demo model, not an AI. ${names === '' ? '' : `I can call ${names}. `}You wrote: ${text}`;
}

function textOf(message: LanguageModelV4Message | undefined): string {
  if (message === undefined) return '';
  if (typeof message.content === 'string') return message.content;
  return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** The first words of the user's question. The text is a transcript: `User: …`, `Assistant: …`. */
function titleOf(transcript: string): string {
  const [question = ''] = transcript.replace(/^User:\s*/u, '').split(/\n\s*Assistant:/u);
  const words = question.trim().split(/\s+/u);
  return words.length > 6 ? `${words.slice(0, 6).join(' ')} …` : words.join(' ');
}

function resultOf(part: Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number]): string {
  if (part.type !== 'tool-result') return '';
  const { output, toolName } = part;
  if (output.type === 'execution-denied')
    return `All right, I leave ${toolName} alone${output.reason === undefined ? '' : `: ${output.reason}`}.`;
  const value = inWords(output.value);
  if (output.type.startsWith('error')) return `${toolName} did not work: ${value}`;
  return output.type === 'text' ? value : `${toolName} says: ${value}.`;
}

/** `{ timeZone: 'Asia/Tokyo' }` → `time zone Asia/Tokyo`. */
function inWords(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(inWords).join('; ');
  if (typeof value !== 'object' || value === null) return String(value);
  const spaced = (name: string): string => name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2').toLowerCase();
  const fields = Object.entries(value).map(([name, field]) => `${spaced(name)} ${inWords(field)}`);
  return fields.length === 0 ? 'nothing' : fields.join(', ');
}
