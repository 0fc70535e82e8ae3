import { Agent, type AgentOptions } from '@halyard/core';
import { errorText } from '@halyard/core/server';
import { collectEvents } from '@halyard/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OpenaiWire, openOpenaiWire } from '../wire/index.ts';
import { type OpenaiApi, openaiApis, openaiModel, unset } from './openai-models.ts';
import { recordingLogger, type RecordingLogger } from './recording-logger.ts';

let wire: OpenaiWire;
let logger: RecordingLogger;
beforeEach(async () => {
  wire = await openOpenaiWire();
  logger = recordingLogger();
});
afterEach(async () => {
  vi.useRealTimers();
  await wire.close();
});

/** Must not reach clients. */
const secret = 'organisation org-4711 of key sk-proj-secret';
const failed = 'The model of agent "assistant" failed';
const fast = { initialDelayMs: 1 };

function createAgent(api: OpenaiApi, options: Partial<AgentOptions> = {}) {
  return new Agent({
    id: 'assistant',
    model: openaiModel(api, wire),
    generation: unset,
    retries: fast,
    ...options,
  });
}

describe.each(openaiApis)('failures on the %s API', (api) => {
  const generate = (options?: Partial<AgentOptions>) =>
    createAgent(api, options).generateText('Hi', { services: { logger } });
  const stream = (options?: Partial<AgentOptions>) =>
    createAgent(api, options).streamText('Hi', { services: { logger } });

  const both = {
    generateText: generate,
    streamText: async (options?: Partial<AgentOptions>) => (await stream(options)).result,
  };
  const methods = ['generateText', 'streamText'] as const;

  it('repeats a call after 429, with the delay of Retry-After', async () => {
    wire.reply({ status: 429, retryAfter: 1, message: secret }, { text: 'Hello' });
    const since = performance.now();

    expect((await generate()).text).toBe('Hello');

    const waitedMs = performance.now() - since;
    expect(waitedMs).toBeGreaterThan(990);
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { attempt: 0, retryInMs: 1000, model: 'gpt-4.1' } }]);
  });

  it('accepts the milliseconds that some providers send for Retry-After, for a stream, too', async () => {
    wire.reply(
      { status: 429, headers: { 'retry-after-ms': '7' } },
      { status: 503, headers: { 'retry-after-ms': '3' } },
      { text: 'Hello' },
    );

    const events = await collectEvents(await stream());

    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'finish' });
    expect(logger.lines.map(({ fields }) => fields['retryInMs'])).toEqual([7, 3]);
  });

  it.each(methods)('fails by %s after two repetitions', async (method) => {
    wire.replyAlways({ status: 500, message: secret });

    await expect(both[method]()).rejects.toMatchObject({ code: 'MODEL_FAILED', message: failed });

    expect(wire.requests).toHaveLength(3);
  });

  it.each(methods)('does not wait by %s for a Retry-After beyond the limit', async (method) => {
    wire.replyAlways({ status: 429, retryAfter: 3600 });

    await expect(both[method]()).rejects.toMatchObject({ code: 'MODEL_FAILED' });

    expect(wire.requests).toHaveLength(1);
  });

  it.each(methods)('does not repeat a call by %s that was refused with 401', async (method) => {
    wire.replyAlways({ status: 401, message: secret });

    const failure: unknown = await both[method]().catch((error: unknown) => error);

    expect(failure).toMatchObject({ code: 'MODEL_FAILED', message: failed, cause: { statusCode: 401 } });
    expect(errorText(failure)).toBe(failed);
    expect(wire.requests).toHaveLength(1);
  });

  it('does not send the error of the provider to the client of a stream', async () => {
    wire.replyAlways({ status: 401, message: secret });

    const events = await collectEvents(await stream());

    expect(events).toEqual([{ type: 'start' }, { type: 'start-step' }, { type: 'error', error: failed }]);
    // It is in the log.
    expect(logger.lines.some(({ fields }) => String(fields['reason']).includes(secret))).toBe(true);
  });

  it.each([
    { what: 'an error status', trouble: { status: 401 } as const },
    { what: 'a socket that closes', trouble: { noAnswer: 'destroy' } as const },
    {
      what: 'an error at the head of the stream',
      trouble: { text: 'Hello', fault: { kind: 'error-event', afterChunks: 0 } } as const,
    },
  ])('falls back to the next model after $what', async ({ trouble }) => {
    const models = [openaiModel(api, wire, 'gpt-4.1'), openaiModel(api, wire, 'gpt-4o')];
    const reply = ({ body }: { body: Readonly<Record<string, unknown>> }) =>
      body['model'] === 'gpt-4.1' ? trouble : { text: 'Hello from the second' };
    wire.replyAlways(reply);

    const events = await collectEvents(await stream({ model: models }));

    expect(events.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' });
    expect(events.some(({ type }) => type === 'error')).toBe(false);
    expect((await generate({ model: models })).text).toBe('Hello from the second');
  });

  it.each([
    { what: 'breaks off', fault: { kind: 'hang', afterChunks: 1 } as const, breaksOff: true },
    { what: 'has a malformed line', fault: { kind: 'malformed', afterChunks: 1 } as const, breaksOff: false },
    {
      what: 'reports an error',
      fault: { kind: 'error-event', afterChunks: 1, error: { message: secret } } as const,
      breaksOff: false,
    },
  ])('ends in an error when the stream $what, asking no other model', async ({ fault, breaksOff }) => {
    wire.reply({ text: ['Hel', 'lo'], fault });
    const running = await stream({ model: [openaiModel(api, wire), openaiModel(api, wire, 'gpt-4o')] });

    const events = [];
    for await (const event of running) {
      events.push(event);
      if (event.type === 'text-delta' && breaksOff) wire.requests[0]?.breakOff();
    }

    expect(events.at(-1)).toEqual({ type: 'error', error: failed });
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(events.find(({ type }) => type === 'text-delta')).toMatchObject({ delta: 'Hel' });
    await expect(running.result).rejects.toMatchObject({ name: 'ModelFailedError', message: failed });
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(wire.requests).toHaveLength(1);
  });

  it.each(['destroy', 'malformed'] as const)('fails when the body of a whole answer is broken by %s', async (kind) => {
    wire.replyAlways({ text: 'Hello', fault: { kind } });

    await expect(generate()).rejects.toMatchObject({ name: 'ModelFailedError', message: failed });
  });

  it('ends a stream without a token after firstTokenMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    wire.reply({ text: 'Hello', fault: { kind: 'hang', afterChunks: 0 } });

    const running = await stream({ timeouts: { firstTokenMs: 50 } });
    const request = await wire.request(0);
    await vi.advanceTimersByTimeAsync(50);

    expect((await collectEvents(running)).at(-1)).toEqual({
      type: 'error',
      error: 'The first token took longer than 50 ms',
    });
    await expect(running.result).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' });
    await request.ended;
    expect(request.aborted).toBe(true);
  });

  it('does not count an empty text as a token: the next model may still answer', async () => {
    wire.reply({ text: ['', 'Hel'], fault: { kind: 'error-event', afterChunks: 1 } }, { text: 'Hello' });

    const running = await stream({ model: [openaiModel(api, wire), openaiModel(api, wire, 'gpt-4o')] });

    expect((await running.result).text).toBe('Hello');
  });

  it('ends a request that is not answered within stepMs', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    wire.reply({ noAnswer: 'hang' });

    const ended = expect(generate({ timeouts: { stepMs: 50 } })).rejects.toMatchObject({ code: 'TIME_LIMIT_EXCEEDED' });
    const request = await wire.request(0);
    await vi.advanceTimersByTimeAsync(50);
    await ended;
    await request.ended;
    expect(request.aborted).toBe(true);
  });
});
