import { getEventListeners } from 'node:events';
import type { LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { demoModel } from './demo-model.ts';
import { user } from './prompts-for-tests.ts';
import { everydayTools } from './tools-for-tests.ts';

const model = demoModel({ delayMs: 0, today: () => new Date('2026-11-21T10:00:00Z') });
const tools = [...everydayTools];

async function read(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream(options);
  return collect(stream);
}

async function collect(stream: ReadableStream<LanguageModelV4StreamPart>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

function textOf(parts: readonly LanguageModelV4StreamPart[]): string {
  return parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
}

async function answerTo(...prompt: LanguageModelV4Message[]): Promise<string> {
  return textOf(await read({ prompt, tools }));
}

describe('an answer', () => {
  it('is streamed word by word, and a greeting states that it is a demo', async () => {
    const parts = await read({ prompt: [user('hello')], tools });
    const deltas = parts.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []));
    expect(deltas.length).toBeGreaterThan(10);
    expect(deltas.every((delta) => /^\s*\S+$/u.test(delta))).toBe(true);
    expect(deltas.join('')).toMatch(/^Hello! I am the demo model\b/u);
    expect(parts.map(({ type }) => type).filter((type) => type !== 'text-delta')).toEqual([
      'stream-start',
      'response-metadata',
      'text-start',
      'text-end',
      'finish',
    ]);
  });

  it('is the same whether it is streamed or not', async () => {
    for (const message of ['hello', 'weather in Paris and Rome']) {
      const options = { prompt: [user(message)], tools };
      const { content, finishReason, usage } = await model.doGenerate(options);
      const parts = await read(options);
      const calls = (list: readonly { readonly type: string }[]): unknown[] =>
        list.filter(({ type }) => type === 'tool-call').map((call) => ({ ...call, toolCallId: '' }));
      expect(content.map((part) => (part.type === 'text' ? part.text : '')).join('')).toBe(textOf(parts));
      expect(calls(content)).toEqual(calls(parts));
      expect(parts.at(-1)).toEqual({ type: 'finish', finishReason, usage });
    }
  });

  it('counts tokens by words, those of the whole prompt included', async () => {
    const usageOf = async (...prompt: LanguageModelV4Message[]): Promise<number> =>
      (await model.doGenerate({ prompt })).usage.inputTokens.total ?? 0;
    const short = await usageOf(user('hello there'));
    expect(short).toBe(3);
    expect(await usageOf({ role: 'system', content: 'Be brief.' }, user('hello there'))).toBeGreaterThan(short);
    const { usage } = await model.doGenerate({ prompt: [user('hello')] });
    expect(usage.outputTokens.total).toBe(usage.outputTokens.text);
    expect(usage.outputTokens.total).toBeGreaterThan(10);
  });

  it('respects the limits of the call', async () => {
    const cut = await model.doGenerate({ prompt: [user('hello')], tools, maxOutputTokens: 4 });
    expect(cut.finishReason.unified).toBe('length');
    expect(cut.usage.outputTokens.total).toBeLessThanOrEqual(4);
    const stopped = await model.doGenerate({ prompt: [user('hello')], tools, stopSequences: ['can'] });
    expect(stopped).toMatchObject({
      content: [{ type: 'text', text: 'Hello! I am the demo model, which needs no network. I ' }],
      finishReason: { unified: 'stop' },
    });
  });

  it('lists its tools, and states that it cannot read files', async () => {
    expect(await answerTo(user('What can you do?'))).toContain('getWeather');
    const image: LanguageModelV4Message = {
      role: 'user',
      content: [
        { type: 'text', text: 'here is a photo' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'AA==' } },
      ],
    };
    expect(await answerTo(image)).toContain('image/png');
  });
});

describe('a tool call', () => {
  it('streams its input in pieces and ends with tool-calls', async () => {
    const parts = await read({ prompt: [user('weather in Paris and Rome')], tools });
    const calls = parts.filter((part) => part.type === 'tool-call');
    expect(calls.map(({ toolName, input }) => [toolName, JSON.parse(input)])).toEqual([
      ['getWeather', { city: 'Paris' }],
      ['getWeather', { city: 'Rome' }],
    ]);
    expect(new Set(calls.map(({ toolCallId }) => toolCallId)).size).toBe(2);
    for (const { toolCallId, input } of calls) {
      const pieces = parts.flatMap((part) =>
        part.type === 'tool-input-delta' && part.id === toolCallId ? [part.delta] : [],
      );
      expect(pieces.join('')).toBe(input);
    }
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } });
  });
});

describe('an abort', () => {
  it('ends the stream immediately with the reason of the signal, also during a delay', async () => {
    const controller = new AbortController();
    const { stream } = await demoModel({ delayMs: 60_000 }).doStream({
      prompt: [user('hello')],
      abortSignal: controller.signal,
    });
    const reading = collect(stream);
    controller.abort();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('passes on a reason that is an error, and wraps one that is not', async () => {
    const reason = new RangeError('enough');
    await expect(model.doGenerate({ prompt: [user('hi')], abortSignal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    await expect(
      model.doStream({ prompt: [user('hi')], abortSignal: AbortSignal.abort('left') }),
    ).rejects.toMatchObject({ name: 'AbortError', cause: 'left' });
  });

  it('removes its listener when the stream ends, is cancelled or is aborted', async () => {
    const { signal } = new AbortController();
    await read({ prompt: [user('hello')], abortSignal: signal });
    const { stream } = await model.doStream({ prompt: [user('hello')], abortSignal: signal });
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await stream.cancel();
    expect(getEventListeners(signal, 'abort')).toEqual([]);

    const controller = new AbortController();
    await demoModel({ delayMs: 60_000 }).doStream({ prompt: [user('hello')], abortSignal: controller.signal });
    controller.abort();
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
