import type { Worker } from 'node:worker_threads';
import { Agent } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

let server: Served | undefined;
let started: Worker[] = [];
const note = (worker: Worker): unknown => started.push(worker);
beforeEach(() => {
  started = [];
  process.on('worker', note);
});
afterEach(async () => {
  process.off('worker', note);
  await server?.close();
  server = undefined;
});

/** An agent that answers with the question. */
const echo = new Agent({
  id: 'echo',
  model: () =>
    scriptedModel(({ prompt }) => {
      const [question] = prompt.flatMap((message) => (message.role === 'user' ? message.content : []));
      return question?.type === 'text' ? question.text : '';
    }),
});

async function start(
  options: Parameters<typeof serve>[1] = {},
): Promise<(user: string, schema: object, answer?: object) => Promise<Response>> {
  server = await serve([], {
    agents: [echo],
    ...options,
    userOf: ({ headers }) => (typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined),
  });
  const { origin } = server;
  return (user, schema, answer = {}) => {
    const request = json({ input: JSON.stringify(answer), schema: { type: 'object', ...schema } });
    return fetch(`${origin}/agents/echo/object`, { ...request, headers: { ...request.headers, 'x-user': user } });
  };
}

/**
 * Takes longer than any test to validate against {@link doubling}. It fits, so that no errors take
 * memory.
 */
const endless = (levels = 60): object => (levels === 0 ? {} : { a: endless(levels - 1) });
const doubling = { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };

it('starts no thread before a schema is sent, and ends all when the server closes', async () => {
  const ask = await start();
  await fetch(`${server?.origin}/agents/echo/text`, json({ input: 'Hi' }));
  expect(started).toHaveLength(0);

  expect(await (await ask('ada', { required: ['a'] }, { a: 1 })).json()).toEqual({ success: true, data: { a: 1 } });
  expect(started.map(({ threadId }) => threadId)).toEqual([expect.any(Number)]);
  expect(started[0]?.threadId).not.toBe(-1);

  await server?.close();
  expect(started[0]?.threadId).toBe(-1);
});

it('refuses a schema that takes too long to validate the answer with', async () => {
  const ask = await start({ schemaTimeLimitMs: 3_000 });
  const refused = await ask('eve', doubling, endless());
  expect(refused.status).toBe(400);
  expect(refused.headers.get('x-error-code')).toBe('INVALID_INPUT');
  expect(await refused.json()).toEqual({ success: false, error: 'body/schema takes too long to check' });

  expect((await ask('eve', doubling, { a: {} })).status).toBe(200);
});
