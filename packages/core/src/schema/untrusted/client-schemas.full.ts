import { once } from 'node:events';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { HalyardError } from '@halyard/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClientSchemas, type ClientSchemasOptions } from './client-schemas.ts';
import { RunningThread } from './running-thread.ts';

const ada = { caller: 'ada' };
const bob = { caller: 'bob' };

/** Passes when a test lets it. */
const timeLimitMs = 2_000;

let schemas: ClientSchemas | undefined;
/** All threads that the test has started. */
let started: Worker[] = [];
/** Resolves for each of them when it is ready, or has ended. */
let ready: Promise<unknown>[] = [];
const note = (worker: Worker): void => {
  started.push(worker);
  ready.push(new Promise((resolve) => worker.once('message', resolve).once('exit', resolve)));
};
let tasks = vi.spyOn(RunningThread.prototype, 'run');
beforeEach(() => {
  tasks = vi.spyOn(RunningThread.prototype, 'run');
  [started, ready] = [[], []];
  process.on('worker', note);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  process.off('worker', note);
  tasks.mockRestore();
  await schemas?.close();
  schemas = undefined;
  vi.useRealTimers();
});

/** The handles that keep the process alive for a thread. */
const handles = (): string[] => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort');

const running = (): number => started.filter(({ threadId }) => threadId !== -1).length;

function open(options: Partial<ClientSchemasOptions> = {}): ClientSchemas {
  schemas = new ClientSchemas({ timeLimitMs, ...options });
  return schemas;
}

/** Lets the time limit pass for a task that is sent to a thread. */
async function pastTimeLimit<Result>(task: Promise<Result>): Promise<Result> {
  const settled = Promise.allSettled([task]);
  for (let turn = 0; turn < 5; turn += 1) await yieldToEventLoop();
  // A thread that is not ready has more time.
  await Promise.all(ready);
  vi.advanceTimersByTime(timeLimitMs);
  await settled;
  return task;
}

const object = (keywords: object): object => ({ type: 'object', ...keywords });

/** Each level of a value is checked twice as often as the one around it. */
const doubling = object({ properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } });

function nested(levels: number): object {
  let value: object = {};
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

/** Takes longer than any test. It fits, so that no errors take memory. */
const endless = nested(100);

/** Compiling it takes a second of computing, and more than 32 MB. */
const large = object({
  allOf: Array.from({ length: 1_000 }, () => ({ if: { required: ['a'] }, else: { required: ['b'] } })),
});

const small = object({ required: ['a'] });

describe('a schema of a client', () => {
  it('validates, names the path of what does not fit, and inserts no defaults', async () => {
    const city = object({
      properties: { city: { type: 'string' }, unit: { default: 'c' } },
      required: ['city'],
      additionalProperties: false,
    });
    const { isClosed, jsonSchema, validate } = await open().compile(city, ada);

    expect({ isClosed, jsonSchema }).toEqual({ isClosed: false, jsonSchema: city });
    const oslo = { city: 'Oslo' };
    expect(await validate(oslo, 'object')).toEqual({ ok: true, value: oslo });
    expect(await validate({ city: 1 }, 'object')).toEqual({ ok: false, message: 'object/city must be string' });
    expect(await validate('text', 'object')).toEqual({ ok: false, message: 'object must be object' });
    expect(await validate(1n, 'object')).toEqual({ ok: false, message: 'object must be plain JSON' });
  });

  it('is plain JSON without the $id of its root', async () => {
    const { jsonSchema } = await open().compile(
      object({ $id: 'https://example.org/city', title: undefined, properties: { $id: { type: 'string' } } }),
      ada,
    );
    expect(jsonSchema).toEqual({ type: 'object', properties: { $id: { type: 'string' } } });
  });

  it('is refused with the place of its fault', async () => {
    const compile = async (schema: unknown): Promise<unknown> => open().compile(schema, ada);
    for (const [schema, message] of [
      [[], 'body/schema must be object'],
      [object({ description: 'x'.repeat(64 * 1024) }), 'body/schema must be at most 64 KiB as JSON'],
      [object({ required: 'a' }), 'body/schema/required must be array'],
      [{ type: 'string' }, 'body/schema must have "type": "object"'],
    ] as const) {
      await expect(compile(schema)).rejects.toMatchObject({ code: 'INVALID_INPUT', message });
      await schemas?.close();
    }
  });
});

describe('a hostile schema', () => {
  it('is ended when its compilation takes too long', async () => {
    const limited = open();
    await expect(pastTimeLimit(limited.compile(large, ada))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'body/schema takes too long to check',
    });
  });

  it('is ended when a validation takes too long, and refused from then on; the next schema is compiled', async () => {
    const limited = open();
    const hostile = await limited.compile(doubling, ada);
    expect(await hostile.validate({}, 'object')).toMatchObject({ ok: true });

    const refusal = { code: 'INVALID_INPUT', message: 'body/schema takes too long to check' };
    await expect(pastTimeLimit(hostile.validate(endless, 'object'))).rejects.toMatchObject(refusal);
    await expect(hostile.validate({}, 'object')).rejects.toMatchObject(refusal);

    const { validate } = await limited.compile(small, ada);
    expect(await validate({}, 'object')).toMatchObject({ ok: false });
    expect(started).toHaveLength(2);
    expect(running()).toBe(1);
  });

  it('is ended when it takes too much memory, and the next one is compiled', async () => {
    const limited = open({ memoryLimitMb: 32 });
    await expect(limited.compile(large, ada)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: 'body/schema takes too much memory to check',
    });

    expect(await limited.compile(small, ada)).toMatchObject({ jsonSchema: small });
  });

  it('does not delay those of other callers', async () => {
    const opened = open();
    const hostile = await opened.compile(doubling, ada);
    const ended = Promise.allSettled([1, 2, 3].map(() => hostile.validate(endless, 'object')));

    const { validate } = await opened.compile(small, bob);
    expect(await validate({ a: 1 }, 'object')).toMatchObject({ ok: true });

    await opened.close();
    for (const result of await ended)
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'SHUTTING_DOWN' } });
  });
});

it('does not wait for a thread of other callers, up to two of them with hostile schemas', async () => {
  const opened = open();
  const callers = [{ caller: 'eve' }, { caller: 'mallory' }];
  const hostile = await Promise.all(callers.map((sender) => opened.compile(doubling, sender)));
  let ended = 0;
  for (const { validate } of hostile) {
    for (let times = 0; times < 3; times += 1) void validate(endless, 'object').catch(() => (ended += 1));
  }

  const { validate } = await opened.compile(small, bob);
  expect(await validate({ a: 1 }, 'object')).toMatchObject({ ok: true });
  expect(ended).toBe(0);
});

describe('a schema that is sent again', () => {
  /** The schemas that were compiled: each of them is a task without a value. */
  const compiled = (): number => tasks.mock.calls.filter(([task]) => task.validate === undefined).length;

  it('is not compiled again', async () => {
    const opened = open();
    const [first, second] = await Promise.all([opened.compile(small, ada), opened.compile({ ...small }, ada)]);
    const third = await opened.compile({ ...small }, bob);

    expect(compiled()).toBe(1);
    expect(second.jsonSchema).toBe(first.jsonSchema);
    expect(third.jsonSchema).toBe(first.jsonSchema);
    expect(await third.validate({}, 'object')).toMatchObject({ ok: false });
  });

  it('is compiled again after it was refused', async () => {
    const opened = open();
    await expect(opened.compile(object({ required: 1 }), ada)).rejects.toThrow('body/schema/required');
    await expect(opened.compile(object({ required: 1 }), ada)).rejects.toThrow('body/schema/required');
    expect(compiled()).toBe(2);

    const { validate } = await opened.compile(doubling, ada);
    await expect(pastTimeLimit(validate(endless, 'object'))).rejects.toThrow('takes too long');
    await opened.compile(doubling, ada);
    expect(compiled()).toBe(4);
  });

  it('is compiled again if many others were sent since', async () => {
    const opened = open();
    const long = (title: string): object => object({ title, description: 'x'.repeat(60_000) });
    for (let index = 0; index < 18; index += 1) await opened.compile(long(`${index}`), ada);

    await opened.compile(long('17'), ada);
    expect(compiled()).toBe(18);
    await opened.compile(long('0'), ada);
    expect(compiled()).toBe(19);
  });
});

it('does not validate for a caller that has left while it waited', async () => {
  const opened = open();
  const left = new AbortController();
  const [hostile, abandoned] = await Promise.all([
    opened.compile(doubling, ada),
    opened.compile(small, { ...ada, signal: left.signal }),
  ]);
  const first = pastTimeLimit(hostile.validate(endless, 'object')).catch((error: unknown) => error);
  const second = abandoned.validate({ a: 1 }, 'object');
  left.abort(new HalyardError('unavailable', 'ABORTED', 'left'));

  await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
  expect(await first).toMatchObject({ message: 'body/schema takes too long to check' });
});

describe('threads', () => {
  it('start on first use, and end after a while without work', async () => {
    const opened = open({ idleMs: 1_000 });
    expect(started).toHaveLength(0);
    await Promise.all([opened.compile(small, ada), opened.compile(object({}), bob)]);
    expect(started).toHaveLength(2);
    vi.advanceTimersByTime(1_000);
    await Promise.all(started.map((worker) => once(worker, 'exit')));

    await opened.compile(object({ title: 'again' }), ada);
    expect(started).toHaveLength(3);
  });

  it('end when they are closed, with the work of callers', async () => {
    const before = handles();
    const opened = open();
    const hostile = await opened.compile(doubling, ada);
    const ended = hostile.validate(endless, 'object').catch((error: unknown) => error);
    expect(running()).toBe(1);
    await yieldToEventLoop();
    expect(handles().length).toBeGreaterThan(before.length);

    await opened.close();

    expect(await ended).toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(running()).toBe(0);
    expect(handles()).toEqual(before);
    await expect(opened.compile(small, ada)).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
    expect(started).toHaveLength(1);
  });
});
