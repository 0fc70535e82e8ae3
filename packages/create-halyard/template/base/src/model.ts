// @if openai
import { openai } from '@ai-sdk/openai';
// @end
// @if anthropic
import { anthropic } from '@ai-sdk/anthropic';
// @end
// @if google
import { google } from '@ai-sdk/google';
// @end
import type { LanguageModel } from '@halyard/core';
import { demoModel } from './demo-model.ts';

// @if demo
/**
 * The model of the agents. Any model of the AI SDK fits, such as `openai('gpt-6-luna')` of
 * `@ai-sdk/openai`.
 */
export const model: LanguageModel = demoModel;
export const modelName = 'the demo model (no AI, no network)';
// @end
// @if !demo
const hasKey = (process.env['{{key}}'] ?? '').trim() !== '';

/** The model of the agents: {{providerName}} if `{{key}}` is set, else a demo model. */
export const model: LanguageModel = hasKey ? {{provider}}('{{modelId}}') : demoModel;
export const modelName = hasKey ? '{{modelId}}' : 'the demo model (no AI, no network): set {{key}} in .env';
// @end
