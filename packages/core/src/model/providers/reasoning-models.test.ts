import { expect, it } from 'vitest';
import { createScriptedModel } from '../../testing/scripted-model.ts';
import { isReasoningModel, rememberReasoning } from './reasoning-models.ts';

const model = (modelId: string) => createScriptedModel(['Hi'], { modelId });

it.each([
  'o1',
  'o3-mini',
  'o4-mini-2025-04-16',
  'gpt-5',
  'gpt-5.1-codex',
  'openai/gpt-5-mini',
  'openai.gpt-oss-120b-1:0',
  'gemini-2.5-flash',
  'models/gemini-3-pro-preview',
  'deepseek-reasoner',
  'us.deepseek.r1-v1:0',
  'deepseek-ai/DeepSeek-R1',
  'grok-4',
  'grok-4-fast-reasoning',
  'kimi-k2-thinking',
  'anthropic/claude-3.7-sonnet:thinking',
])('knows that %s reasons', (id) => {
  expect(isReasoningModel(model(id))).toBe(true);
});

it.each([
  'gpt-4.1',
  'gpt-4o',
  'gpt-5-chat-latest',
  'gpt-5.1-chat',
  'gemini-2.0-flash',
  'deepseek-chat',
  'grok-4-fast-non-reasoning',
  'claude-haiku-4-5',
  'mistral-large-latest',
])('does not take %s for a reasoning model', (id) => {
  expect(isReasoningModel(model(id))).toBe(false);
});

it('remembers a model that has reasoned', () => {
  const deployment = model('our-deployment');
  rememberReasoning(deployment);
  expect(isReasoningModel(deployment)).toBe(true);
  expect(isReasoningModel(model('our-deployment'))).toBe(false);
});
