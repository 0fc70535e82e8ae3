import { createAnthropic } from '@ai-sdk/anthropic';
import { Agent, type AgentInput, createMemory } from '@halyard/core';
import { collectEvents, scriptedModel, silentLogger } from '@halyard/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { openAnthropicWire } from '../wire/index.ts';

/** The provider package begins each of Anthropic's streams with a `custom` part. */
let wire: Awaited<ReturnType<typeof openAnthropicWire>>;
beforeEach(async () => {
  wire = await openAnthropicWire();
});
afterEach(() => wire.close());

const services = { logger: silentLogger };
const conversation = { userId: 'u', conversationId: 'k', services };
const claude = () => createAnthropic({ baseURL: wire.baseURL, apiKey: 'test' })('claude-haiku-4-5');
const overloaded = {
  text: 'Never',
  fault: { kind: 'error-event', afterChunks: 0, error: { type: 'overloaded_error', message: 'Overloaded' } },
} as const;
const question: AgentInput = [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];

const withMemory = () =>
  new Agent({
    id: 'a',
    model: claude(),
    memory: createMemory({ titles: false }),
    generation: unset,
    retries: { maxRetries: 0 },
  });

it('is answered by the next model after an overload at the start of the stream', async () => {
  wire.reply(overloaded);
  const backup = scriptedModel('backup');
  const agent = new Agent({
    id: 'a',
    model: [claude(), backup],
    memory: false,
    generation: unset,
    retries: { maxRetries: 0 },
  });

  expect((await (await agent.streamText('Hi', { services })).result).text).toBe('backup');
});

it('is limited by `firstTokenMs` although the stream has begun', async () => {
  wire.reply({ text: 'Never', fault: { kind: 'hang', afterChunks: 0 } });
  const agent = new Agent({
    id: 'a',
    model: [claude(), scriptedModel('backup')],
    memory: false,
    generation: unset,
    timeouts: { firstTokenMs: 200 },
  });

  expect((await (await agent.streamText('Hi', { services })).result).text).toBe('backup');
});

it('is asked for again when the question is sent again after a stop before it', async () => {
  wire.reply({ text: 'Never', fault: { kind: 'hang', afterChunks: 0 } }, { text: 'Hello' });
  const agent = withMemory();
  const stop = new AbortController();
  const stopped = collectEvents(await agent.streamText(question, { ...conversation, signal: stop.signal }));
  await wire.request(0);
  stop.abort();
  await stopped;

  expect((await (await agent.streamText(question, conversation)).result).text).toBe('Hello');
});

it('keeps the old answer if a new one fails before it', async () => {
  wire.reply({ text: 'Old' }, overloaded);
  const agent = withMemory();
  await collectEvents(await agent.streamText(question, conversation));
  await collectEvents(await agent.streamText(question, { ...conversation, resend: 'regenerate' }));

  expect((await (await agent.streamText(question, conversation)).result).text).toBe('Old');
  expect(wire.requests).toHaveLength(2);
});

it('emits and stores nothing for the start of the response', async () => {
  wire.reply({ text: 'Hello' });

  const events = await collectEvents(await withMemory().streamText(question, conversation));

  expect(events.map(({ type }) => type)).not.toContain('custom');
});
