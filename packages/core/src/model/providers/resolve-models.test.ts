import type {
  LanguageModelV2,
  LanguageModelV2StreamPart,
  LanguageModelV3,
  LanguageModelV3StreamPart,
} from '@ai-sdk/provider';
import { ConfigurationError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { expect, it } from 'vitest';
import { Agent } from '../../agent/agent.ts';
import { collectEvents, scriptedModel, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { LanguageModel } from '../messages/message.ts';

const call = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' } as const;
const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 'seen' });
const streamOf = <Part>(parts: readonly Part[]) => ({
  stream: new ReadableStream<Part>({ start: (to) => (parts.forEach((part) => to.enqueue(part)), to.close()) }),
});

/** Calls the tool once, then answers with its result. */
function modelV2(): LanguageModelV2 {
  const usage = { inputTokens: 7, outputTokens: 3, totalTokens: 10, cachedInputTokens: 2, reasoningTokens: 1 };
  return {
    specificationVersion: 'v2',
    provider: 'old',
    modelId: 'two',
    supportedUrls: {},
    doGenerate: async ({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? {
            content: [{ type: 'text', text: JSON.stringify(prompt.at(-1)?.content) }],
            finishReason: 'stop',
            usage,
            warnings: [],
          }
        : { content: [call], finishReason: 'tool-calls', usage, warnings: [] },
    doStream: async ({ prompt }) =>
      streamOf<LanguageModelV2StreamPart>(
        prompt.at(-1)?.role === 'tool'
          ? [
              { type: 'stream-start' as const, warnings: [] },
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: 'seen it' },
              { type: 'text-end' as const, id: '1' },
              { type: 'finish' as const, finishReason: 'stop' as const, usage },
            ]
          : [call, { type: 'finish' as const, finishReason: 'tool-calls' as const, usage }],
      ),
  };
}

function modelV3(): LanguageModelV3 {
  const usage = {
    inputTokens: { total: 7, noCache: 5, cacheRead: 2, cacheWrite: undefined },
    outputTokens: { total: 3, text: 2, reasoning: 1 },
  };
  const reason = (unified: 'stop' | 'tool-calls') => ({ unified, raw: undefined });
  return {
    specificationVersion: 'v3',
    provider: 'old',
    modelId: 'three',
    supportedUrls: {},
    doGenerate: async ({ prompt }) =>
      prompt.at(-1)?.role === 'tool'
        ? { content: [{ type: 'text', text: 'seen it' }], finishReason: reason('stop'), usage, warnings: [] }
        : { content: [call], finishReason: reason('tool-calls'), usage, warnings: [] },
    doStream: async ({ prompt }) =>
      streamOf<LanguageModelV3StreamPart>(
        prompt.at(-1)?.role === 'tool'
          ? [
              { type: 'text-start' as const, id: '1' },
              { type: 'text-delta' as const, id: '1', delta: 'seen it' },
              { type: 'text-end' as const, id: '1' },
              { type: 'finish' as const, finishReason: reason('stop'), usage },
            ]
          : [call, { type: 'finish' as const, finishReason: reason('tool-calls'), usage }],
      ),
  };
}

it.each<[string, () => LanguageModel]>([
  ['2', modelV2],
  ['3', modelV3],
])('calls models of interface version %s', async (_version, create) => {
  const agent = new Agent({ id: 'a', model: create(), tools: [look] });

  const stream = await agent.streamText('Go', { services: { logger: silentLogger } });
  const events = await collectEvents(stream);
  const generated = await agent.generateText('Go', { services: { logger: silentLogger } });

  expect(events).toContainEqual({ type: 'tool-result', toolCallId: 'c', toolName: 'look', input: {}, output: 'seen' });
  expect(await stream.result).toMatchObject({
    text: 'seen it',
    finishReason: 'stop',
    usage: { promptTokens: 14, completionTokens: 6, totalTokens: 20, cachedInputTokens: 4, reasoningTokens: 2 },
  });
  expect(generated).toMatchObject({
    finishReason: 'stop',
    toolResults: [{ output: 'seen' }],
    usage: { totalTokens: 20 },
  });
  expect(generated.text).toContain('seen');
});

it('adapts a model once, however many runs it serves', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const agent = new Agent({ id: 'a', model: modelV2(), tools: [look] });

  for (let run = 0; run < 3; run += 1) await agent.generateText('Go');
  await new Promise(setImmediate);
  process.off('warning', onWarning);

  expect(warnings.filter(({ message }) => message.includes('specificationVersion')).length).toBeLessThanOrEqual(1);
});

it('accepts a list with models of several versions, and a function that returns one', async () => {
  const list = [scriptedModel({ error: new Error('down') }), modelV3()];

  expect(
    (
      await new Agent({ id: 'a', model: list, tools: [look] }).generateText('Go', {
        services: { logger: silentLogger },
      })
    ).text,
  ).toBe('seen it');
  expect((await new Agent({ id: 'a', model: () => modelV2(), tools: [look] }).generateText('Go')).text).toContain(
    'seen',
  );
});

it.each([[[]], [undefined], ['openai/gpt'], [{ specificationVersion: 'v1' }]])(
  'refuses %j as a model, also when a function chooses it',
  async (model) => {
    expect(() => new Agent({ id: 'a', model: model as never })).toThrow(ConfigurationError);
    await expect(new Agent({ id: 'a', model: () => model as never }).generateText('Go')).rejects.toThrow(
      ConfigurationError,
    );
  },
);
