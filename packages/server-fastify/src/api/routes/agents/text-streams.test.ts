import { once } from 'node:events';
import { Agent, createMemory, createTool, type ObjectEvent } from '@halyard/core';
import { scriptedModel, silentLogger } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agents, hanging, post, usage } from '../../../testing/generation.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { toJsonText } from './text-streams.ts';

const remembering = scriptedModel('First.', 'Second.', 'Third.');
const twoSteps = scriptedModel(
  { text: ['Let me', ' see.'], toolCalls: [{ toolName: 'unknown', input: {} }] },
  { text: ['Nothing.'] },
);
const isRead = Promise.withResolvers<void>();
const waits = createTool({ name: 'waits', description: '', input: Type.Object({}), execute: () => isRead.promise });
const failsLate = scriptedModel(
  { text: ['so far'], toolCalls: [{ toolName: 'waits', input: {} }] },
  { error: new RangeError('secret') },
);
let server: Served;
let origin: string;
beforeAll(async () => {
  server = await serve([], {
    agents: [
      ...agents,
      new Agent({ id: 'twoSteps', model: twoSteps }),
      new Agent({ id: 'remembering', model: remembering, memory: createMemory({ logger: silentLogger }) }),
      new Agent({ id: 'corrected', model: scriptedModel('{"nam":"Ada"}', '{"name":"Ada","age":36}') }),
      new Agent({ id: 'late', model: failsLate, tools: [waits] }),
    ],
  });
  ({ origin } = server);
});
afterAll(() => server.close());

const schema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
const ask = (path: string, body: object, accept = 'text/plain'): Promise<Response> => {
  const request = json(body);
  return fetch(`${origin}/agents/${path}`, { ...request, headers: { ...request.headers, accept } });
};

describe('a client that asks for plain text', () => {
  it.each(['text/plain', 'text/plain; charset=utf-8', 'TEXT/PLAIN, */*;q=0.5'])(
    'with "%s" gets the text of the answer',
    async (accept) => {
      const reply = await ask('plain/stream', { input: 'hi' }, accept);
      expect(reply.status).toBe(200);
      expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(reply.headers.get('x-request-id')).not.toBeNull();
      expect(await reply.text()).toBe('Hi "you"');
    },
  );

  it.each(['text/event-stream', '*/*', 'application/json, text/plain, */*', 'text/plainer'])(
    'is not one with "%s"',
    async (accept) => {
      const reply = await ask('plain/stream', { input: 'hi' }, accept);
      expect(reply.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    },
  );

  it('gets the texts of all steps, separated like those of /text, without those of sub-agents', async () => {
    const twoTexts = await ask('twoSteps/stream', { input: 'x' });
    expect(await twoTexts.text()).toBe('Let me see.\n\nNothing.');
    const boss = await ask('boss/stream', { input: 'x' });
    expect(await boss.text()).toBe('done');
  });

  it('gets the JSON text of an object', async () => {
    const reply = await ask('object/stream-object', { input: 'Who?', schema });
    expect(reply.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await reply.text()).toBe('{"name":"Ada","age":36}');
  });

  it.each([
    ['failing/stream', 'The model of agent "failing" failed'],
    ['scalar/stream-object', 'Agent "scalar" did not produce an object that fits the schema'],
  ])('gets the failure of %s before the first text as JSON', async (path, error) => {
    const reply = await ask(path, { input: 'x', schema });
    expect(reply.status).toBe(500);
    expect(reply.headers.get('x-error-code')).toBe('RUN_FAILED');
    expect(await reply.json()).toEqual({ success: false, error });
  });

  it('sees that the connection breaks off when the answer fails after its first text', async () => {
    const reply = await ask('late/stream', { input: 'x' });
    expect(reply.status).toBe(200);
    const reader = reply.body?.getReader() ?? expect.fail('no body');
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('so far');
    isRead.resolve();
    await expect(reader.read()).rejects.toThrow();
  });

  it('sees that the connection breaks off when the model corrects text that was sent', async () => {
    const whole = ask('corrected/stream-object', { input: 'x', schema }).then((reply) => reply.text());
    await expect(whole).rejects.toThrow();
  });

  it('gets refused requests as JSON', async () => {
    expect((await ask('unknown/stream', { input: 'x' })).status).toBe(404);
    expect((await ask('plain/stream', { options: {} })).status).toBe(400);
  });

  it('aborts the model by leaving', async () => {
    const client = new AbortController();
    const request = json({ input: 'hi' });
    const headers = { ...request.headers, accept: 'text/plain' };
    const reply = await fetch(`${origin}/agents/hanging/stream`, { ...request, headers, signal: client.signal });
    const signal = hanging.calls.at(-1)?.abortSignal ?? expect.fail('the model was not called');
    expect(reply.status).toBe(200);
    const aborted = once(signal, 'abort');
    client.abort();
    await aborted;
  });
});

describe('the requests of the AI SDK', () => {
  it.each(['stream', 'chat'])('may name the input `prompt` on /%s', async (route) => {
    const { status, text } = await post(origin, `plain/${route}`, { prompt: 'hi' });
    expect(status).toBe(200);
    expect(text).toContain('{"type":"text-delta","id":"t0","delta":"Hi "}');
  });

  it.each(['stream', 'chat'])('name one input at least on /%s', async (route) => {
    const { status, text } = await post(origin, `plain/${route}`, { id: 'c1' });
    expect([status, JSON.parse(text)]).toEqual([
      400,
      { success: false, error: "body must have required property 'input'" },
    ]);
    expect((await post(origin, `plain/${route}`, { prompt: 5 })).status).toBe(400);
  });

  it('continue and regenerate a conversation on /stream as on /chat', async () => {
    const question = (id: string, text: string): object => ({ id, role: 'user', parts: [{ type: 'text', text }] });
    const send = async (trigger: string, ...messages: object[]): Promise<string> =>
      (await ask('remembering/stream', { id: 'c1', trigger, messages })).text();

    expect(await send('submit-message', question('q1', 'One?'))).toBe('First.');
    expect(await send('submit-message', question('q2', 'Two?'))).toBe('Second.');
    expect(await send('regenerate-message', question('q2', 'Two?'))).toBe('Third.');
    expect(remembering.calls.at(-1)?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  });
});

describe('the JSON text of an object', () => {
  const end = (object: unknown): ObjectEvent => ({ type: 'object', object, usage: usage(1, 1) });
  async function textsOf(...objects: unknown[]): Promise<string[]> {
    const last = objects.pop();
    const all: ObjectEvent[] = [...objects.map((object) => ({ type: 'partial' as const, object })), end(last)];
    const texts: string[] = [];
    for await (const text of toJsonText(
      (async function* () {
        for (const event of all) yield [event];
      })(),
    ))
      texts.push(text);
    return texts;
  }

  it('is sent as far as it is certain', async () => {
    expect(await textsOf({}, { a: 'x' }, { a: 'xy', b: 1 }, { a: 'xy', b: 15, c: [{}] })).toEqual([
      '{',
      '"a":"x',
      'y","b":',
      '15,"c":[{}]}',
    ]);
  });

  it.each([
    ['brackets and quotes at the end of a text', [{ a: '}]"' }, { a: '}]"}' }]],
    ['a number that is written with an exponent', [{ a: 1.5 }, { a: 1500 }]],
    ['a negative number', [{ a: [-1] }, { a: [-15, 2] }]],
    ['the first half of a character', [{ a: 'x\ud83d' }, { a: 'x\u{1f600}y' }]],
    ['line breaks and backslashes', [{ a: '\n\\' }, { a: '\n\\n' }]],
    ['digits in a text', [{ a: '12' }, { a: '12 monkeys', b: true }]],
    ['keys that are numbers, in another order', [{ '2': 'a' }, { '1': 'b', '2': 'a' }]],
  ])('is right with %s', async (name, objects) => {
    const read = textsOf(...objects);
    if (name.startsWith('keys')) await expect(read).rejects.toThrow('differs from the partial one');
    else expect(JSON.parse((await read).join(''))).toEqual(objects.at(-1));
  });
});
