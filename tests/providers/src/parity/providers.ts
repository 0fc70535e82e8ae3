import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { anthropic, createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle, google } from '@ai-sdk/google';
import { createOpenAI, openai } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { JsonObject } from '@halyard/contracts';
import type { LanguageModel } from '@halyard/core';
import type { ToolSet } from 'ai';
import {
  type ReplyScript,
  type NoReplyScript,
  openAnthropicWire,
  openBedrockWire,
  openCompatibleWire,
  openGoogleWire,
  openOpenaiWire,
  type StatusScript,
  type Wire,
} from '../wire/index.ts';

export type ProviderName = keyof typeof providers;

export interface Provider {
  readonly open: () => Promise<Wire<ReplyScript | StatusScript | NoReplyScript>>;
  readonly model: (baseURL: string) => Exclude<LanguageModel, string>;
  readonly providerOptions: Readonly<Record<string, JsonObject>>;
  /** Tools that the provider executes. */
  readonly tools?: ToolSet;
}

const apiKey = 'test-key';

/** The same ids for both sides, where the package creates some. */
function counter(): () => string {
  let last = 0;
  return () => `id-${(last += 1)}`;
}

/** The provider packages, each with the local server that speaks its format. */
export const providers = {
  'OpenAI Responses': {
    open: openOpenaiWire,
    model: (baseURL) => createOpenAI({ baseURL, apiKey })('gpt-5-mini'),
    providerOptions: { openai: { store: false } },
    tools: {
      web_search: openai.tools.webSearch({}),
      mcp: openai.tools.mcp({ serverLabel: 'server', serverUrl: 'https://mcp.example.com' }),
    },
  },
  'OpenAI Responses, stored': {
    open: openOpenaiWire,
    model: (baseURL) => createOpenAI({ baseURL, apiKey })('gpt-5-mini'),
    providerOptions: {},
  },
  'OpenAI Chat': {
    open: openOpenaiWire,
    model: (baseURL) => createOpenAI({ baseURL, apiKey }).chat('gpt-4.1'),
    providerOptions: {},
  },
  Anthropic: {
    open: openAnthropicWire,
    model: (baseURL) => createAnthropic({ baseURL, apiKey, generateId: counter() })('claude-haiku-4-5'),
    providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } },
    tools: { web_search: anthropic.tools.webSearch_20250305({}) },
  },
  Bedrock: {
    open: openBedrockWire,
    model: (baseURL) => createAmazonBedrock({ baseURL, apiKey })('anthropic.claude-haiku-4-5-20251001-v1:0'),
    providerOptions: { amazonBedrock: { reasoningConfig: { type: 'enabled', budgetTokens: 1024 } } },
  },
  Google: {
    open: openGoogleWire,
    model: (baseURL) => createGoogle({ baseURL, apiKey, generateId: counter() })('gemini-2.5-flash'),
    providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
    tools: { code_execution: google.tools.codeExecution({}) },
  },
  'OpenAI-compatible': {
    open: openCompatibleWire,
    model: (baseURL) => createOpenAICompatible({ name: 'compatible', baseURL, apiKey, includeUsage: true })('model-1'),
    providerOptions: {},
  },
} satisfies Readonly<Record<string, Provider>>;

export const providerNames: readonly ProviderName[] = [
  'OpenAI Responses',
  'OpenAI Responses, stored',
  'OpenAI Chat',
  'Anthropic',
  'Google',
  'OpenAI-compatible',
];

export function provider(name: ProviderName): Provider {
  return providers[name];
}
