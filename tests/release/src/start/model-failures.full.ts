import { type OpenaiWire, openOpenaiWire } from '@halyard/test-providers/wire';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startApp } from './start-app.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(() => wire.close());

const failed = 'The model of agent "support" failed';

/** An app that asks an agent once. @param then follows the call. */
function asks(then = ''): string {
  return `
    import { createOpenAI } from '@ai-sdk/openai';
    import { Agent } from '@halyard/core';
    const openai = createOpenAI({ baseURL: '${wire.baseURL}', apiKey: process.env.TEST_KEY });
    const agent = new Agent({ id: 'support', model: openai('gpt-5-mini'), instructions: 'Keep this secret.' });
    await agent.generateText('Hello')${then};
  `;
}

const rejected = 'openai.responses answered 401: Incorrect API key provided.';

it('logs a failed model once, in a few lines, without the conversation', async () => {
  wire.reply({ status: 401 });
  const env = { NODE_ENV: 'production', TEST_KEY: 'test-key' };
  const { code, stderr } = await startApp(asks('.catch(() => {})'), env);
  expect(code).toBe(0);
  expect(stderr.split(rejected)).toHaveLength(2);
  expect(stderr).not.toContain('Keep this secret.');
  expect(stderr.trimEnd().split('\n').length).toBeLessThan(8);
});

it.each([
  { mode: 'development', key: 'test-key', sentence: `ModelFailedError: ${failed}: ${rejected}` },
  { mode: 'production', key: 'test-key', sentence: `ModelFailedError: ${failed}\n` },
  { mode: 'production', key: 'test-key', sentence: `  reason: '${rejected}',\n  [cause]: [Getter]\n}` },
  {
    mode: 'development',
    key: undefined,
    sentence:
      'ModelKeyMissingError: The model of agent "support" has no API key: set the environment variable OPENAI_API_KEY, and start again',
  },
])('ends a script in $mode with "$sentence", in a few lines', async ({ key, mode, sentence }) => {
  wire.reply({ status: 401 });
  const { code, stderr } = await startApp(asks(), { NODE_ENV: mode, OPENAI_API_KEY: undefined, TEST_KEY: key });
  expect(code).toBe(1);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('Keep this secret.');
  expect(stderr).not.toMatch(/requestBodyValues|isHalyardError|new ModelFailedError/);
});
