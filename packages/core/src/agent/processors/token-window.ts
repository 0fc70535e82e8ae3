import { ConfigurationError } from '@halyard/contracts';
import { isNotesPrompt } from '../../model/prompt/notes-prompt.ts';
import type { Prompt, PromptMessage, ToolPrompt } from '../../model/providers/model-port.ts';
import type { Usage } from '../usage.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { Processor, StepVerdict } from './processor.ts';

export interface TokenWindowOptions {
  /**
   * For the whole prompt, system prompt and working memory included. Leave room for the reply and
   * the definitions of tools.
   */
  readonly maxTokens: number;
}

/**
 * A processor that keeps the prompt of each model call within a number of tokens. It first replaces
 * the results of older tool calls, oldest first, then leaves out whole exchanges (a question with
 * everything up to the next one), oldest first. It keeps system messages, a summary, working
 * memory, the newest exchange and the newest results: a prompt with more than these allow is sent
 * as it is. About a third of the window is left out at once, so that the prompts of several turns
 * begin alike and providers can use their caches.
 *
 * Tokens are estimated. The provider's report on the call before corrects the estimate.
 *
 * @throws ConfigurationError for an invalid number.
 */
export function tokenWindow(options: TokenWindowOptions): Processor {
  const { maxTokens } = options;
  if (!(Number.isInteger(maxTokens) && maxTokens > 0))
    throw new ConfigurationError('maxTokens of tokenWindow must be an integer from 1 on');
  /** The size of the last prompt in each run that goes on, as estimated without a correction. */
  const sent = new WeakMap<object, number>();
  /** Tokens of the provider for one estimated token. */
  let correction = 1;
  return {
    name: 'token window',
    processStep: (step, run): StepVerdict => {
      correction = corrected(correction, sent.get(run), step.lastUsage);
      const window = cutWindow(step.prompt, maxTokens / correction, maxTokens / 3);
      sent.set(run, window.tokens);
      const { leftOutMessages, leftOutResults, prompt, tokens } = window;
      if (leftOutMessages + leftOutResults === 0) return { action: 'allow' };
      const details = { leftOutMessages, leftOutResults, tokens: Math.ceil(tokens * correction) };
      return { action: 'modify', prompt, details };
    },
  };
}

function corrected(current: number, sent: number | undefined, usage: Usage | undefined): number {
  if (sent === undefined || sent === 0 || usage === undefined || usage.promptTokens === 0) return current;
  // A provider that reports only tokens that were not cached must not widen the window without
  // bounds.
  return Math.min(4, Math.max(0.5, usage.promptTokens / sent));
}

/** The rest of a prompt. */
export interface Window {
  readonly prompt: Prompt;
  readonly tokens: number;
  readonly leftOutMessages: number;
  readonly leftOutResults: number;
}

/**
 * The prompt with what fits, as {@link tokenWindow} chooses it.
 *
 * @param block how many tokens are left out at once. Default: as few as possible.
 */
export function cutWindow(whole: Prompt, maxTokens: number, block = 1): Window {
  const prompt = [...whole];
  const tokensOf = prompt.map(estimateTokens);
  let tokens = tokensOf.reduce((sum, count) => sum + count, 0);
  const tooMany = Math.max(0, tokens - maxTokens);
  const enough = tokens - Math.ceil(tooMany / block) * block;
  let leftOutResults = 0;
  // The results that the model has not seen yet stay.
  for (let index = 0; tokens > enough && index < prompt.length - 1; index += 1) {
    const message = prompt[index];
    if (message?.role !== 'tool') continue;
    const shortened = withoutResults(message);
    const saved = (tokensOf[index] ?? 0) - estimateTokens(shortened);
    if (saved <= 0) continue;
    prompt[index] = shortened;
    tokens -= saved;
    tokensOf[index] = estimateTokens(shortened);
    leftOutResults += message.content.length;
  }

  const kept = prompt.map(() => true);
  let leftOutMessages = 0;
  for (const { end, start } of olderExchanges(prompt)) {
    if (tokens <= enough) break;
    for (let index = start; index < end; index += 1) {
      const message = prompt[index];
      if (message === undefined || message.role === 'system' || isNotesPrompt(message)) continue;
      kept[index] = false;
      tokens -= tokensOf[index] ?? 0;
      leftOutMessages += 1;
    }
  }
  return { prompt: prompt.filter((_, index) => kept[index]), tokens, leftOutMessages, leftOutResults };
}

const note = 'This result was left out because the conversation is long. Call the tool again if you need it.';

function withoutResults(message: ToolPrompt): ToolPrompt {
  return {
    ...message,
    content: message.content.map((part) =>
      part.type === 'tool-result' ? { ...part, output: { type: 'text', value: note } } : part,
    ),
  };
}

/**
 * The exchanges before the newest, oldest first. Messages before the first question belong to it.
 */
function olderExchanges(prompt: readonly PromptMessage[]): { readonly start: number; readonly end: number }[] {
  const questions = prompt.flatMap((message, index) =>
    message.role === 'user' && !isNotesPrompt(message) ? [index] : [],
  );
  return questions.slice(1).map((end, index) => ({ start: index === 0 ? 0 : (questions[index] ?? 0), end }));
}
