import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { type OpenaiWire, openOpenaiWire } from '@halyard/test-providers/wire';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startApp } from './start-app.ts';

let wire: OpenaiWire;
beforeEach(async () => {
  wire = await openOpenaiWire();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await wire.close();
});

const failed = 'The model of agent "support" failed';

function support(): Agent {
  const openai = createOpenAI({ baseURL: wire.baseURL, apiKey: 'test-key' });
  return new Agent({ id: 'support', model: openai('gpt-5-mini'), retries: { maxRetries: 0 } });
}

describe.each<{ readonly failure: string; readonly prepare: () => unknown; readonly reported: string }>([
  {
    failure: 'a rejected key',
    prepare: () => wire.reply({ status: 401 }),
    reported: 'openai.responses answered 401: Incorrect API key provided.',
  },
  {
    failure: 'an unknown model',
    prepare: () => wire.reply({ status: 404, message: 'The model `gpt-5-mini` does not exist.' }),
    reported: 'openai.responses answered 404: The model `gpt-5-mini` does not exist.',
  },
  {
    failure: 'a rate limit',
    prepare: () => wire.reply({ status: 429 }),
    reported: 'openai.responses answered 429: Rate limit reached for requests.',
  },
  {
    failure: 'a provider that cannot be reached',
    prepare: () => wire.close(),
    reported: 'openai.responses: Cannot connect to API: connect ECONNREFUSED 127.0.0.1',
  },
  {
    failure: 'an error inside the stream',
    prepare: () => wire.reply({ text: 'Hello', fault: { kind: 'error-event', error: { message: 'Overloaded.' } } }),
    reported: 'openai.responses: Overloaded.',
  },
])('$failure', ({ prepare, reported }) => {
  async function error(): Promise<unknown> {
    prepare();
    const stream = await support().streamText('Hello', { services: { logger: silentLogger } });
    return stream.result.catch((thrown: unknown) => thrown);
  }

  /** The events that a client receives. */
  async function answer(): Promise<string> {
    prepare();
    const server = await createServer({ agents: [support()], logger: false });
    const payload = { input: 'Hello' };
    const { body } = await server.app.inject({ method: 'POST', url: '/agents/support/stream', payload });
    await server.close();
    return body;
  }

  it('is explained in development, by the thrown error and to clients', async () => {
    vi.stubEnv('NODE_ENV', 'development');
    const message = expect.stringContaining(`${failed}: ${reported}`) as unknown;
    expect(await error()).toMatchObject({ code: 'MODEL_FAILED', message });
    expect(await answer()).toContain(JSON.stringify(`${failed}: ${reported}`).slice(1, -1));
  });

  it.each(['production', 'test'])('is not explained to clients if NODE_ENV is %s', async (mode) => {
    vi.stubEnv('NODE_ENV', mode);
    expect(await error()).toMatchObject({ code: 'MODEL_FAILED', message: failed });
    expect(await answer()).toContain(JSON.stringify({ type: 'error', error: failed }));
  });
});

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
