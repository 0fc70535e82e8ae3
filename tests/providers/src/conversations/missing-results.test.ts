import { anthropic, createAnthropic } from '@ai-sdk/anthropic';
import { Agent } from '@halyard/core';
import { silentLogger } from '@halyard/core/testing';
import { expect, it } from 'vitest';
import { unset } from '../agents/openai-models.ts';
import { openAnthropicWire } from '../wire/index.ts';

const webSearch = { query: 'Oslo', results: [] };

it.each([
  [
    'and the model only writes',
    [{ webSearch: { ...webSearch, noResult: true }, text: 'I look.' }, { text: 'Nothing.' }],
    2,
  ],
  ['and the model searches again', [{ webSearch: { ...webSearch, noResult: true }, text: 'I look.' }], 2],
  ['and the model ends', [{ webSearch, text: 'Rain.' }], 1],
] as const)(
  'a search whose result is missing ends the run after one more step, %s',
  async (_then, scripts, requests) => {
    await using wire = await openAnthropicWire();
    const [first] = scripts;
    wire.reply(...scripts);
    wire.replyAlways(first);
    const agent = new Agent({
      id: 'a',
      model: createAnthropic({ baseURL: wire.baseURL, apiKey: 'test' })('claude-haiku-4-5'),
      tools: [anthropic.tools.webSearch_20250305({})],
      memory: false,
      generation: unset,
    });

    await (
      await agent.streamText('Hi', { services: { logger: silentLogger } })
    ).result;

    expect(wire.requests).toHaveLength(requests);
  },
);
