import type { Logger } from '@halyard/contracts';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Agent } from '../agent/agent.ts';
import {
  collectEvents,
  createScriptedModel,
  fixedClock,
  scriptedModel,
  type ScriptedReply,
  silentLogger,
} from '../testing/index.ts';
import { callModel, type CallModelOptions } from './call-model.ts';

const clock = fixedClock();
const retries = { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 50 };
const services = { clock, logger: silentLogger, firstTokenMs: 60_000 };

/** As the AI SDK's providers throw it. */
function apiError(isRetryable: boolean, responseHeaders: Record<string, string> = {}): Error {
  return Object.assign(new Error('Too many requests'), { statusCode: 429, isRetryable, responseHeaders });
}

async function ask(
  turns: readonly [ScriptedReply, ...ScriptedReply[]],
  options: Partial<CallModelOptions['retries']> = {},
) {
  const model = scriptedModel(...turns);
  const waits: unknown[] = [];
  const logger = {
    ...silentLogger,
    warn: (fields: object) => void waits.push('retryInMs' in fields ? fields.retryInMs : undefined),
  };
  const reply = await callModel(
    [model],
    true,
    { prompt: [] },
    { retries: { ...retries, ...options }, firstTokenMs: 60_000, clock, logger },
  ).then(
    () => 'answered',
    (error: unknown) => error,
  );
  return { calls: model.calls.length, reply, waits };
}

it('repeats a call after a temporary failure', async () => {
  const error = apiError(true);

  expect(await ask([{ error }, 'Hi'])).toMatchObject({ calls: 2, reply: 'answered' });
  expect(await ask([{ error }])).toMatchObject({ calls: 3, reply: error });
  expect(await ask([{ error }], { maxRetries: 0 })).toMatchObject({ calls: 1, reply: error });
});

it('waits longer before each repetition, up to the limit', async () => {
  const { waits } = await ask([{ error: apiError(true) }], { maxRetries: 4, maxDelayMs: 4 });

  const most = [1, 2, 4, 4];
  expect(waits).toHaveLength(4);
  waits.forEach((wait, index) => {
    expect(wait).toBeGreaterThanOrEqual((most[index] ?? 0) / 2);
    expect(wait).toBeLessThanOrEqual(most[index] ?? 0);
  });
});

it('does not repeat a call after a permanent failure', async () => {
  expect(await ask([{ error: apiError(false) }, 'Hi'])).toMatchObject({ calls: 1, waits: [] });
  expect(await ask([{ error: new Error('no') }, 'Hi'])).toMatchObject({ calls: 1 });
});

it.each([
  ['seconds', { 'retry-after': '0.004' }, 4],
  ['milliseconds', { 'retry-after-ms': '7', 'retry-after': '900' }, 7],
  ['a date', { 'retry-after': new Date(clock.now()).toUTCString() }, 0],
  ['a date that is over', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
])('waits for the time in Retry-After, given in %s', async (_form, headers, waitMs) => {
  expect(await ask([{ error: apiError(true, headers) }, 'Hi'])).toMatchObject({ calls: 2, waits: [waitMs] });
});

it.each([
  ['seconds', { 'retry-after': '60' }],
  ['milliseconds', { 'retry-after-ms': '51' }],
  ['a date', { 'retry-after': new Date(clock.now() + 60_000).toUTCString() }],
])('does not wait for a Retry-After beyond the limit, given in %s', async (_form, headers) => {
  expect(await ask([{ error: apiError(true, headers) }, 'Hi'])).toMatchObject({ calls: 1, waits: [] });
});

it('calls the next model when one fails before its first token', async () => {
  const broken = createScriptedModel([{ error: new Error('down') }], { modelId: 'broken' });
  const silent = createScriptedModel([{ breaksOff: true }], { modelId: 'silent' });
  const failing = createScriptedModel([{ parts: [{ type: 'error', error: new Error('overloaded') }] }], {
    modelId: 'failing',
  });
  const good = createScriptedModel(['Hi'], { modelId: 'good' });
  const agent = new Agent({ id: 'a', model: [broken, silent, failing, good], retries });

  const stream = await agent.streamText('Hi', { services });

  expect((await stream.result).text).toBe('Hi');
  expect([broken, silent, failing, good].map(({ calls }) => calls.length)).toEqual([1, 1, 1, 1]);
  expect(agent.modelName).toBe('broken');
});

it('logs each failure once, the last one when the run ends', async () => {
  const down = scriptedModel({ error: new Error('down') });
  const busy = scriptedModel({ error: apiError(true) });
  const lines: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (_fields, message) => void lines.push(message),
    error: (_fields, message) => void lines.push(message),
  };

  await expect(
    new Agent({ id: 'a', model: [down, busy, down], retries: { ...retries, maxRetries: 1 } }).generateText('Hi', {
      services: { ...services, logger },
    }),
  ).rejects.toMatchObject({ code: 'MODEL_FAILED' });

  const failed = 'a model call failed';
  expect(lines).toEqual([failed, failed, failed, 'an agent run failed']);
});

it('calls the next model without streaming, too', async () => {
  const agent = new Agent({
    id: 'a',
    model: [scriptedModel({ error: new Error('down') }), scriptedModel('Hi')],
    retries,
  });

  expect((await agent.generateText('Hi', { services })).text).toBe('Hi');
});

it('does not call another model after the first token', async () => {
  const next = scriptedModel('Other');
  const agent = new Agent({
    id: 'a',
    model: [scriptedModel({ text: 'Half', error: apiError(true), failAfterText: true }), next],
    retries,
  });

  const events = await collectEvents(await agent.streamText('Hi', { services }));

  expect(events.at(-1)).toEqual({ type: 'error', error: 'The model of agent "a" failed' });
  expect(events).toContainEqual({ type: 'text-delta', id: 't0', delta: 'Half' });
  expect(next.calls).toEqual([]);
});

it('stops waiting for a repetition when the run is aborted', async () => {
  const controller = new AbortController();
  const model = scriptedModel({ error: apiError(true) });
  const logger = { ...silentLogger, warn: () => controller.abort() };
  const agent = new Agent({ id: 'a', model, retries: { initialDelayMs: 60_000, maxDelayMs: 60_000 } });

  await expect(agent.generateText('Hi', { signal: controller.signal, services: { logger } })).rejects.toMatchObject({
    code: 'ABORTED',
  });
  expect(model.calls).toHaveLength(1);
});

it('ends with the abort, even if a model that does not stream ignores its signal', async () => {
  const controller = new AbortController();
  const model = { ...scriptedModel(''), doGenerate: () => new Promise<never>(() => {}) };
  const reply = callModel([model], false, { prompt: [], abortSignal: controller.signal }, { retries, ...services });

  controller.abort(new Error('gone'));
  await expect(reply).rejects.toThrow('gone');
});

it('cancels a stream that opens after the run was aborted', async () => {
  const cancelled = Promise.withResolvers<unknown>();
  const opened = Promise.withResolvers<void>();
  const controller = new AbortController();
  const model = {
    ...scriptedModel(''),
    doStream: async () => {
      await opened.promise;
      return { stream: new ReadableStream({ cancel: (reason) => cancelled.resolve(reason) }) };
    },
  };
  const reply = callModel([model], true, { prompt: [], abortSignal: controller.signal }, { retries, ...services });

  controller.abort(new Error('gone'));
  await expect(reply).rejects.toThrow('gone');
  opened.resolve();
  expect(await cancelled.promise).toMatchObject({ message: 'gone' });
});

it('does not count an empty text as a token', async () => {
  const broken = new Error('The stream broke');
  const first = scriptedModel({ text: [''], error: broken, failAfterText: true });
  const agent = new Agent({ id: 'a', model: [first, scriptedModel('Hello')] });

  const stream = await agent.streamText('Hi', { services });

  expect((await stream.result).text).toBe('Hello');
});

it('calls the next model when the first token takes too long, and fails after the last model', async () => {
  const silent = scriptedModel({ hangs: true });
  const agent = (models: readonly ReturnType<typeof scriptedModel>[]) =>
    new Agent({ id: 'a', model: models, timeouts: { firstTokenMs: 20 } });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());

  const stream = await agent([silent, scriptedModel('Here.')]).streamText('Hi', { services: { logger: silentLogger } });
  await vi.advanceTimersByTimeAsync(20);
  expect((await stream.result).text).toBe('Here.');
  expect(silent.abortsSeen).toBe(1);

  const failing = await agent([silent, silent]).streamText('Hi', { services: { logger: silentLogger } });
  const events = collectEvents(failing);
  await vi.advanceTimersByTimeAsync(20);
  await vi.advanceTimersByTimeAsync(20);
  expect((await events).at(-1)).toEqual({
    type: 'error',
    error: 'The first token took longer than 20 ms',
  });
});

it('aborts a model of a list when the run is aborted after its first token', async () => {
  const endless = scriptedModel({ text: 'One two three', hangs: true });
  const controller = new AbortController();
  const stream = await new Agent({ id: 'a', model: [endless, scriptedModel('Other')] }).streamText('Hi', {
    signal: controller.signal,
  });
  for await (const event of stream)
    if (event.type === 'text-delta' && event.delta.startsWith('three')) controller.abort();

  expect(endless.abortsSeen).toBe(1);
  await expect(stream.result).rejects.toMatchObject({ code: 'ABORTED' });
});
