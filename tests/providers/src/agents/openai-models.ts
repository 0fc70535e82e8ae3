import { createOpenAI } from '@ai-sdk/openai';
import type { GenerationSettings, LanguageModel } from '@halyard/core';

/** The two APIs of OpenAI that `@ai-sdk/openai` speaks. */
export const openaiApis = ['responses', 'chat'] as const;

export type OpenaiApi = (typeof openaiApis)[number];

export function openaiModel(api: OpenaiApi, { baseURL }: { readonly baseURL: string }, id = 'gpt-4.1'): LanguageModel {
  const openai = createOpenAI({ baseURL, apiKey: 'test-key' });
  return api === 'chat' ? openai.chat(id) : openai(id);
}

/** No sampling settings are sent, so no provider warns about unsupported ones. */
export const unset: GenerationSettings = {
  temperature: null,
  maxOutputTokens: null,
  topP: null,
  frequencyPenalty: null,
  presencePenalty: null,
};
