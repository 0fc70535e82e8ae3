import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import { createServer } from '@halyard/server-fastify';
import { type OpenaiWire, openOpenaiWire } from '@halyard/test-providers/wire';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

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
