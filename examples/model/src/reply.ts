import { randomUUID } from 'node:crypto';
import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4Prompt,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type { Plan } from './plan.ts';

/** The result of one model call, streamed or not. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly LanguageModelV4ToolCall[];
  readonly finishReason: LanguageModelV4FinishReason;
  readonly usage: LanguageModelV4Usage;
}

/** Applies the limits of the call to a plan: `stopSequences` and `maxOutputTokens` cut its text. */
export function toReply(plan: Plan, { prompt, tools = [], ...limits }: LanguageModelV4CallOptions): Reply {
  const calls = plan.kind === 'say' ? [] : plan.calls.map(({ toolName, input }) => toToolCall(toolName, input));
  const { text, isCut } = limited(plan.kind === 'say' ? plan.text : '', limits);
  const written =
    tokensIn(text) + calls.reduce((sum, { input, toolName }) => sum + tokensIn(`${toolName} ${input}`), 0);
  return {
    text,
    calls,
    finishReason: { unified: calls.length > 0 ? 'tool-calls' : isCut ? 'length' : 'stop', raw: undefined },
    usage: usageOf(promptTokens(prompt) + tokensIn(JSON.stringify(tools)), written),
  };
}

function toToolCall(toolName: string, input: unknown): LanguageModelV4ToolCall {
  return { type: 'tool-call', toolCallId: `call_${randomUUID()}`, toolName, input: JSON.stringify(input) };
}

function limited(
  whole: string,
  {
    maxOutputTokens = Infinity,
    stopSequences = [],
  }: Pick<LanguageModelV4CallOptions, 'maxOutputTokens' | 'stopSequences'>,
): { readonly text: string; readonly isCut: boolean } {
  const stops = stopSequences.map((stop) => (stop === '' ? -1 : whole.indexOf(stop))).filter((index) => index >= 0);
  const text = whole.slice(0, Math.min(whole.length, ...stops));
  if (tokensIn(text) <= maxOutputTokens) return { text, isCut: false };
  const words = text.match(/\s*\S+/gu) ?? [];
  let cut = '';
  for (const word of words) {
    if (tokensIn(cut + word) > maxOutputTokens) break;
    cut += word;
  }
  return { text: cut, isCut: true };
}

/** Estimates four tokens for three words, which is typical for English. */
function tokensIn(text: string): number {
  return Math.ceil(((text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) * 4) / 3);
}

function promptTokens(prompt: LanguageModelV4Prompt): number {
  let total = 0;
  for (const { content } of prompt) {
    if (typeof content === 'string') total += tokensIn(content);
    else for (const part of content) total += partTokens(part);
  }
  return total;
}

function partTokens(part: Exclude<LanguageModelV4Prompt[number]['content'], string>[number]): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return tokensIn(part.text);
    case 'tool-call':
      return tokensIn(`${part.toolName} ${JSON.stringify(part.input) ?? ''}`);
    case 'tool-result':
      return 'value' in part.output ? tokensIn(JSON.stringify(part.output.value)) : 1;
    default:
      // The contents of files are not counted.
      return 1;
  }
}

function usageOf(input: number, output: number): LanguageModelV4Usage {
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  };
}
