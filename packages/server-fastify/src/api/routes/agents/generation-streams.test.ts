import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { agents, answer, events, hanging, post, signals, usage } from '../../../testing/generation.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';

let server: Served;
let origin: string;
beforeAll(async () => {
  server = await serve([], { agents });
  ({ origin } = server);
});
afterAll(() => server.close());

describe('stream', () => {
  it('sends each event of a tool round trip', async () => {
    const call = { toolCallId: 'c1', toolName: 'getWeather', input: { city: 'Rome' } };
    expect(await events(origin, 'weather/stream', { input: 'Weather?' })).toEqual([
      { type: 'start' },
      { type: 'start-step' },
      { type: 'tool-input-start', id: 'c1', toolName: 'getWeather' },
      { type: 'tool-input-delta', id: 'c1', delta: '{"city":"Rome"}' },
      { type: 'tool-input-end', id: 'c1' },
      { type: 'tool-call', ...call },
      { type: 'tool-result', ...call, output: { degrees: 21 } },
      { type: 'finish-step', finishReason: 'tool-calls', usage: usage(1, 2) },
      { type: 'start-step' },
      { type: 'text-start', id: 't0' },
      { type: 'text-delta', id: 't0', delta: '21°' },
      { type: 'text-end', id: 't0' },
      { type: 'finish-step', finishReason: 'stop', usage: usage(5, 6) },
      { type: 'finish', finishReason: 'stop', usage: usage(6, 8) },
    ]);
  });

  it('is a stream of server-sent events, each one line', async () => {
    const { headers, status, text } = await post(origin, 'plain/stream', { input: 'hi' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(text).toMatch(/^(data: [^\n]+\n\n)+$/);
    expect(text).not.toContain('[DONE]');
  });

  it('marks the events of a sub-agent', async () => {
    const inner = (await events(origin, 'boss/stream', { input: 'x' })).filter(({ agentId }) => agentId !== undefined);
    expect(inner.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(inner[3]).toEqual({
      type: 'text-delta',
      id: 't0',
      delta: 'inner',
      agentId: 'helper',
      agentPath: ['boss', 'helper'],
      parentToolCallId: expect.any(String),
    });
  });

  it('ends with an error event when the model fails, without the message of the provider', async () => {
    const sent = await events(origin, 'breaking/stream', { input: 'x' });
    expect(sent.at(-1)).toEqual({ type: 'error', error: 'The model of agent "breaking" failed' });
    expect(sent).toContainEqual({ type: 'text-delta', id: 't0', delta: 'so far' });
  });

  it.each(['stream', 'chat', 'stream-object'])('answers /%s of an unknown agent with JSON', async (route) => {
    const { headers, status, text } = await post(origin, `unknown/${route}`, {
      input: 'hi',
      schema: { type: 'object' },
    });
    expect(status).toBe(404);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toEqual({ success: false, error: 'Agent not found: unknown' });
  });

  it('refuses an invalid request with JSON, before the stream starts', async () => {
    const { headers, status } = await post(origin, 'strict/stream', { input: [{ role: 'system', content: 'x' }] });
    expect(status).toBe(400);
    expect(headers.get('x-error-code')).toBe('SYSTEM_MESSAGES_NOT_ACCEPTED');
  });

  it.each(['stream', 'chat', 'stream-object'])(
    'aborts the model within a second when the client of /%s disconnects',
    async (route) => {
      const client = new AbortController();
      const abortsBefore = hanging.abortsSeen;
      const response = await fetch(`${origin}/agents/hanging/${route}`, {
        ...json({ input: 'hi', schema: { type: 'object' } }),
        signal: client.signal,
      });
      expect(response.status).toBe(200);
      await vi.waitUntil(() => hanging.calls.at(-1)?.abortSignal?.aborted === false, { timeout: 60_000 });

      client.abort();

      await vi.waitUntil(() => hanging.abortsSeen > abortsBefore, { timeout: 60_000 });
    },
  );

  it('aborts a running tool when the client disconnects', async () => {
    const client = new AbortController();
    const before = signals.length;
    await fetch(`${origin}/agents/waiting/stream`, { ...json({ input: 'hi' }), signal: client.signal });
    const signal = await vi.waitUntil(() => signals[before], { timeout: 60_000 });
    const aborted = once(signal, 'abort');
    expect(signal.aborted).toBe(false);

    client.abort();

    await aborted;
  });
});

describe('object', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
  };

  it('answers with the object itself', async () => {
    expect(await answer(origin, 'object/object', { input: 'Who?', schema })).toEqual({
      success: true,
      data: { name: 'Ada', age: 36 },
    });
  });

  it('streams partial objects, then the complete one', async () => {
    const sent = await events(origin, 'object/stream-object', { input: 'Who?', schema });
    expect(sent.length).toBeGreaterThan(1);
    for (const event of sent.slice(0, -1)) expect(event).toEqual({ type: 'partial', object: expect.any(Object) });
    expect(sent.at(-1)).toEqual({ type: 'object', object: { name: 'Ada', age: 36 }, usage: usage(10, 5) });
  });

  it('sends an error when the model returns no valid object', async () => {
    const { headers, status, text } = await post(origin, 'scalar/object', { input: 'Who?', schema });
    expect(status).toBe(500);
    expect(headers.get('x-error-code')).toBe('OBJECT_NOT_GENERATED');
    expect(JSON.parse(text)).toEqual({
      success: false,
      error: 'Agent "scalar" did not produce an object that fits the schema',
    });

    const sent = await events(origin, 'scalar/stream-object', { input: 'Who?', schema });
    expect(sent).toEqual([{ type: 'error', error: 'Agent "scalar" did not produce an object that fits the schema' }]);
  });

  it.each(['object', 'stream-object'])('refuses a schema for /%s that cannot be used', async (route) => {
    expect(await answer(origin, `object/${route}`, { input: 'x' })).toEqual({
      success: false,
      error: "body must have required property 'schema'",
    });
    for (const wrong of [
      { type: 'string' },
      { type: 'object', properties: 5 },
      { type: 'object', $ref: 'https://example.com/schema' },
    ]) {
      const { status, text } = await post(origin, `object/${route}`, { input: 'x', schema: wrong });
      expect(status).toBe(400);
      expect(text).toContain('body/schema');
    }
  });
});
