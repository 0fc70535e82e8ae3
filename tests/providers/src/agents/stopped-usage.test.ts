import { createAnthropic } from '@ai-sdk/anthropic';
import { Agent } from '@halyard/core';
import { createRecorder } from '@halyard/core/server';
import { silentLogger } from '@halyard/core/testing';
import { expect, it } from 'vitest';
import { type ReplyScript, openAnthropicWire } from '../wire/index.ts';
import { unset } from './openai-models.ts';

const cuts: readonly (readonly [string, ReplyScript, string])[] = [
  ['is stopped', { text: ['Half', ' of it'], fault: { kind: 'hang', afterChunks: 1 } }, 'aborted'],
  ['fails before its first token', { text: ['Half'], fault: { kind: 'error-event', afterChunks: 0 } }, 'failed'],
];

it.each(cuts)('counts the tokens that Anthropic has reported of an answer that %s', async (_how, script, outcome) => {
  await using wire = await openAnthropicWire();
  wire.reply({ ...script, usage: { inputTokens: 30, outputTokens: 9 } });
  const spans: Readonly<Record<string, unknown>>[] = [];
  const recorder = createRecorder({
    recordsContent: true,
    clock: { now: () => 0 },
    sink: {
      spanStarted: () => {},
      spanEnded: ({ attributes, describe }) => void spans.push({ ...describe?.(), ...attributes }),
      logged: () => {},
    },
  });
  const calls: unknown[] = [];
  const ignore = (): void => {};
  const metrics = {
    agentRunEnded: ignore,
    modelCallEnded: ({ end, usage }: { readonly end: string; readonly usage?: object }) =>
      void calls.push({ end, ...usage }),
    toolCallEnded: ignore,
    executionRunEnded: ignore,
    executionQuarantined: ignore,
  };
  const agent = new Agent({
    id: 'a',
    model: createAnthropic({ baseURL: wire.baseURL, apiKey: 'test' })('claude-haiku-4-5'),
    generation: unset,
    memory: false,
    retries: { maxRetries: 0 },
  });
  const stop = new AbortController();
  const services = { logger: silentLogger, metrics, recorder };
  const stream = await agent.streamText('Hi', { signal: stop.signal, services });
  for await (const { type } of stream) if (type === 'text-delta') stop.abort();

  await expect(stream.result).rejects.toThrow();
  expect(calls).toMatchObject([{ end: outcome, promptTokens: 30 }]);
  expect(spans.map((span) => span['gen_ai.usage.input_tokens'])).toEqual([30, 30]);
});
