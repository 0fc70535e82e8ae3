import { Type } from '@sinclair/typebox';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemory } from '../../memory/memory.ts';
import { collectEvents, fixedClock, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { AgentOptions, RunOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import { redactPii } from '../processors/redact-pii.ts';
import { acceptSmoothing, type SmoothStreamOptions } from './smooth-stream.ts';
import { TextSmoother } from './text-smoother.ts';

const services = { logger: silentLogger };
const pieces = ['Hel', 'lo wor', 'ld\nag', 'ain ', 'and again'];

const stream = async (turn: ScriptedReply, options: Partial<AgentOptions>, run: RunOptions = {}) =>
  new Agent({ id: 'a', model: scriptedModel(turn), ...options }).streamText('Hi', { services, ...run });

const deltas = (events: readonly AgentEvent[], type: 'text-delta' | 'reasoning-delta' = 'text-delta') =>
  events.flatMap((event) => (event.type === type ? event.delta : []));

const smoothed = async (turn: ScriptedReply, smoothStream: SmoothStreamOptions): Promise<readonly AgentEvent[]> =>
  collectEvents(await stream(turn, { smoothStream: { delayInMs: null, ...smoothStream } }));

describe('the chunks of a text', () => {
  const byTwo = (buffer: string): string | undefined => (buffer.length < 2 ? undefined : buffer.slice(0, 2));
  it.each([
    ['words', {}, ['Hello ', 'world\n', 'again ', 'and ', 'again']],
    ['lines', { chunking: 'line' }, ['Hello world\n', 'again and again']],
    ['an expression', { chunking: /l/g }, ['Hel', 'l', 'o worl', 'd\nagain and again']],
    [
      'a function',
      { chunking: byTwo },
      ['He', 'll', 'o ', 'wo', 'rl', 'd\n', 'ag', 'ai', 'n ', 'an', 'd ', 'ag', 'ai', 'n'],
    ],
  ] as const)('are %s', async (_name, options, expected) => {
    expect(deltas(await smoothed({ text: pieces }, options))).toEqual(expected);
  });

  it('are the segments of a language without spaces', async () => {
    const chunking = new Intl.Segmenter('ja', { granularity: 'word' });

    expect(deltas(await smoothed({ text: ['私は猫', 'が好きです。'] }, { chunking }))).toEqual(
      [...chunking.segment('私は猫が好きです。')].map(({ segment }) => segment),
    );
  });

  it('are those of reasoning, too, and keep the metadata of the delta', async () => {
    const providerMetadata = { google: { thoughtSignature: 's' } };
    const events = await smoothed(
      {
        reasoning: 'One two three',
        parts: [
          { type: 'text-start', id: '1' },
          { type: 'text-delta', id: '1', delta: 'a b c' },
          { type: 'text-delta', id: '1', delta: 'd e', providerMetadata },
          { type: 'text-delta', id: '1', delta: '', providerMetadata },
        ],
      },
      {},
    );

    expect(deltas(events, 'reasoning-delta')).toEqual(['One ', 'two ', 'three']);
    expect(events.filter(({ type }) => type === 'text-delta')).toEqual([
      { type: 'text-delta', id: '1', delta: 'a ' },
      { type: 'text-delta', id: '1', delta: 'b ' },
      { type: 'text-delta', id: '1', delta: 'c' },
      { type: 'text-delta', id: '1', delta: 'd ', providerMetadata },
      { type: 'text-delta', id: '1', delta: 'e' },
      { type: 'text-delta', id: '1', delta: '', providerMetadata },
    ]);
  });

  it('come before the call that follows them', async () => {
    const look = createTool({ name: 'look', description: 'Looks', input: Type.Object({}), execute: () => 1 });
    const turns = [{ text: 'Let me look', toolCalls: [{ toolName: 'look', input: {} }] }, 'Done'] as const;
    const agent = new Agent({ id: 'a', model: scriptedModel(...turns), tools: [look], smoothStream: true });

    const types = (await collectEvents(await agent.streamText('Hi'))).map(({ type }) => type);

    expect(types.slice(0, 8)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-delta',
      'text-end',
      'tool-input-start',
    ]);
  });

  it('have passed the processors of the answer', async () => {
    const run = await stream(
      { text: ['Write to ada@exa', 'mple.com, or to', ' bob@example.com now'] },
      { processors: [redactPii()], smoothStream: { delayInMs: null } },
    );

    const texts = deltas(await collectEvents(run));
    expect(texts.join('')).toBe('Write to [email], or to [email] now');
    expect(texts.slice(0, 2)).toEqual(['Write ', 'to ']);
  });
});

describe('the delay between chunks', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
  afterEach(() => void vi.useRealTimers());

  it('is that of the option', async () => {
    const startedAt = Date.now();
    const seen: [ms: number, text: string][] = [];
    const faked = { ...services, clock: { now: () => Date.now() } };
    const run = await stream({ text: ['a b c '] }, { smoothStream: { delayInMs: 20 } }, { services: faked });
    const reading = (async () => {
      for await (const event of run) if (event.type === 'text-delta') seen.push([Date.now() - startedAt, event.delta]);
    })();

    await vi.advanceTimersByTimeAsync(100);
    await reading;

    expect(seen).toEqual([
      [0, 'a '],
      [20, 'b '],
      [40, 'c '],
    ]);
  });

  it('is not added to the time that a model takes anyway', async () => {
    const clock = fixedClock();
    const texts: string[] = [];
    const emit = (event: AgentEvent): undefined => void texts.push(...deltas([event]));
    const smoothing = acceptSmoothing('the call', { delayInMs: 20 });
    if (smoothing === undefined) return expect.fail('no smoothing');
    const smoother = new TextSmoother(emit, { smoothing, clock, signal: new AbortController().signal });

    for (const delta of ['a ', 'b ', 'c ']) {
      await smoother.emit({ type: 'text-delta', id: '1', delta });
      clock.advance(20);
    }

    expect(texts).toEqual(['a ', 'b ', 'c ']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends with an abort, which loses no text', async () => {
    const memory = createMemory();
    const run = await stream(
      { text: ['a b c d'], hangs: true },
      { memory, smoothStream: { delayInMs: 1000 } },
      { conversationId: 'c', userId: 'u' },
    );
    const events: AgentEvent[] = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === 'text-delta') break;
    }

    await expect(run.result).rejects.toMatchObject({ code: 'ABORTED' });
    const page = await memory.storage.conversations.messages('anyone', 'c', { limit: 9 });
    expect(JSON.stringify(page)).toContain('a b c d');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is only that of streamed texts', async () => {
    const agent = new Agent({
      id: 'a',
      model: scriptedModel('a b c ', '{"a":"b c d e"}'),
      smoothStream: { delayInMs: 1000 },
    });

    expect((await agent.generateText('Hi')).text).toBe('a b c ');
    const object = await agent.streamObject('Hi', { schema: Type.Object({ a: Type.String() }) });
    expect((await collectEvents(object)).at(-1)).toMatchObject({ object: { a: 'b c d e' } });
    expect(deltas(await collectEvents(await agent.streamText('Hi', { smoothStream: false })))).not.toEqual([]);
  });
});

describe('options', () => {
  const agent = (smoothStream: unknown) =>
    new Agent({ id: 'a', model: scriptedModel('a b'), smoothStream: smoothStream as SmoothStreamOptions });

  it.each([
    [{ delayInMs: -1 }, '`delayInMs` of agent "a" must be a number of milliseconds from 0 on, or null'],
    [
      { chunking: 'sentence' },
      '`chunking` of agent "a" must be "word", "line", a RegExp, an Intl.Segmenter or a function',
    ],
  ])('that cannot be used are refused: %o', (smoothStream, message) => {
    expect(() => agent(smoothStream)).toThrow(message);
  });

  it.each([
    [/x*/, '`chunking` of agent "a" must not match an empty text'],
    [() => 'other', '`chunking` of agent "a" must return the beginning of the text that it gets, or undefined'],
  ])('that return no chunk end the run with an error: %s', async (chunking, message) => {
    const run = await agent({ chunking }).streamText('Hi', { services });

    expect((await collectEvents(run)).at(-1)).toMatchObject({ type: 'error' });
    await expect(run.result).rejects.toThrow(message);
  });

  it('of a call replace those of the agent', async () => {
    const run = await stream({ text: ['a\nb c'] }, { smoothStream: true }, { smoothStream: { chunking: 'line' } });

    expect(deltas(await collectEvents(run))).toEqual(['a\n', 'b c']);
  });
});
