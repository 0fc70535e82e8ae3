import { Agent } from '@halyard/core';
import { collectEvents, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { provider, providerNames } from '../parity/providers.ts';
import type { ReplyScript } from '../wire/index.ts';
import { unset } from './openai-models.ts';

const Person = Type.Object({ name: Type.String() });
const services = { logger: silentLogger };

/** Answers without an object that would be the same if the model were asked again. */
const answers: Readonly<Record<string, ReplyScript & { readonly finish: 'content-filter' | 'length' }>> = {
  'filtered before its first word': { finish: 'content-filter' },
  'filtered after some words': { text: '{"name":"A', finish: 'content-filter' },
  'cut at the limit of tokens': { text: '{"name":"A', finish: 'length' },
};

describe.each(providerNames)('on %s', (name) => {
  it.each(Object.entries(answers))('an object that is %s is asked for once', async (_answer, script) => {
    const { model, open } = provider(name);
    await using wire = await open();
    wire.replyAlways(script);
    const agent = new Agent({ id: 'a', model: model(wire.baseURL), generation: unset });

    const stream = await agent.streamObject('Who?', { schema: Person, services });
    await collectEvents(stream);
    for (const result of [stream.result, agent.generateObject('Who?', { schema: Person, services })])
      await expect(result).rejects.toMatchObject({
        code: 'OBJECT_NOT_GENERATED',
        finishReason: script.finish,
        text: script.text ?? '',
        message: expect.stringContaining(script.finish),
      });

    expect(wire.requests).toHaveLength(2);
  });
});

it.each(['OpenAI Responses', 'OpenAI Chat'] as const)('a refusal on %s is the text of the error', async (name) => {
  const { model, open } = provider(name);
  await using wire = await open();
  wire.replyAlways({ refusal: 'I cannot help with that.' });
  const agent = new Agent({ id: 'a', model: model(wire.baseURL), generation: unset });

  const stream = await agent.streamObject('Who?', { schema: Person, services });
  await collectEvents(stream);
  for (const result of [stream.result, agent.generateObject('Who?', { schema: Person, services })])
    await expect(result).rejects.toMatchObject({
      message: expect.stringContaining('refused to answer'),
      finishReason: 'content-filter',
      text: 'I cannot help with that.',
      usage: { totalTokens: 15 },
    });

  expect(wire.requests).toHaveLength(2);
});
