import type { Message, StoredMessage } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import { createMemory } from '../memory/memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import { findRepeatingSummaries, isSummary, summarizedUntil, summaryMessage, summaryText } from './summary.ts';

const until = '2026-01-01T00:00:00.000Z';
const time = Date.parse(until);
const stored = (message: Message, createdAt: number): StoredMessage => ({ ...message, createdAt });
const summary = (metadata: unknown, role: Message['role'] = 'system') =>
  ({ id: 's', role, parts: [], metadata: { summary: metadata } }) as unknown as Message;

describe('a summary', () => {
  it('says how many messages it replaces, and until when', () => {
    const first = summaryMessage('s1', 'Tea.', [
      stored(textMessage('m1', 'user', 'Tea?'), time - 5),
      stored(textMessage('m2', 'assistant', 'Yes.'), time),
      stored(textMessage('m3', 'user', 'Tea!'), time - 2),
    ]);
    expect(first).toEqual({
      id: 's1',
      role: 'system',
      parts: [{ type: 'text', text: 'Tea.' }],
      metadata: { summary: { until, messages: 3 } },
    });
    const next = summaryMessage('s2', 'Tea and maths.', [
      stored(first, time + 100),
      stored(textMessage('m4', 'user', 'Maths?'), time + 10),
    ]);
    expect(next.metadata).toEqual({ summary: { until: '2026-01-01T00:00:00.010Z', messages: 4 } });
    expect(summaryMessage('s3', 'x', [stored(first, time + 100)]).metadata).toEqual(first.metadata);
  });

  it('is recognised by its role and its metadata', () => {
    expect(isSummary(summary({ until, messages: 0 }))).toBe(true);
    expect(isSummary(summary({ until, messages: 1 }, 'user'))).toBe(false);
    for (const metadata of [
      undefined,
      null,
      'x',
      {},
      { until },
      { messages: 1 },
      { until, messages: 1.5 },
      { until, messages: '1' },
      { until: 'soon', messages: 1 },
      { until: 5, messages: 1 },
    ])
      expect(isSummary(summary(metadata))).toBe(false);
    for (const metadata of [undefined, null, 'summary', {}])
      expect(isSummary({ role: 'system', metadata })).toBe(false);
  });

  it('replaces only older messages', () => {
    expect(summarizedUntil(stored(summary({ until, messages: 1 }), time + 9))).toBe(time);
    expect(summarizedUntil(stored(summary({ until, messages: 1 }), time))).toBe(time - 1);
    expect(summarizedUntil(stored(summary({}), time))).toBeNaN();
  });

  it('is its texts', () => {
    const parts = [{ type: 'text', text: 'Tea' }, { type: 'step-start' }, { type: 'text', text: 'and maths' }];
    expect(summaryText({ id: 's', role: 'system', parts } as Message)).toBe('Tea\nand maths');
  });
});

describe('the summaries of messages', () => {
  async function setUp(systemMessages: number) {
    const { storage } = createMemory();
    const { conversations } = storage;
    const ada = { user: 'ada' };
    await conversations.create({ id: 'c1', userId: 'ada', resourceId: 'r', title: '', metadata: {} });
    const save = async (...messages: Message[]): Promise<void> => {
      await conversations.save(ada, { conversationId: 'c1', messages });
    };
    const all = async () => (await conversations.messages(ada, 'c1', { limit: 100 }))?.messages ?? [];
    await save(textMessage('m1', 'user', 'Tea?'), textMessage('m2', 'assistant', 'Yes.'));
    const [m1, m2] = await all();
    if (m1 === undefined || m2 === undefined) throw new Error('two messages expected');
    await save(summaryMessage('s1', 'Tea?', [m1]));
    await save(summaryMessage('s2', 'Tea? Yes.', [m1, m2]));
    for (let index = 0; index < systemMessages; index += 1) await save(textMessage(`x${index}`, 'system', 'x'));
    const of = async (...messages: Parameters<typeof findRepeatingSummaries>[3]) =>
      (await findRepeatingSummaries(conversations, ada, 'c1', messages)).toSorted();
    return { m1, m2, of };
  }

  it.each([0, 25, 45])('are those that repeat them, among %i other system messages', async (systemMessages) => {
    const { m1, m2, of } = await setUp(systemMessages);
    expect(await of(m1)).toEqual(['s1', 's2']);
    expect(await of(m2)).toEqual(['s2']);
    expect(await of(m2, m1)).toEqual(['s1', 's2']);
  });

  it('are none of messages that no summary repeats', async () => {
    const { m1, m2, of } = await setUp(0);
    expect(await of()).toEqual([]);
    expect(await of({ ...m1, role: 'system' }, { ...m2, role: 'tool' })).toEqual([]);
    expect(await of({ ...m1, createdAt: m2.createdAt + 1_000 })).toEqual([]);
  });
});
