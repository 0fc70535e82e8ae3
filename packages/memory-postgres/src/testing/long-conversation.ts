import { silentLogger, type Storage } from '@halyard/contracts';
import { Agent, createMemory } from '@halyard/core';
import { randomIds } from '@halyard/core/server';
import { scriptedModel, type ScriptedReply } from '@halyard/core/testing';
import { expect, it, vi } from 'vitest';

/** Knows the name only from its prompt. */
const reply: ScriptedReply = ({ prompt }) => {
  const [, name = 'unknown'] = /name is (\w+)/.exec(JSON.stringify(prompt)) ?? [];
  const [first] = prompt;
  if (first?.role === 'system' && first.content.startsWith('You take notes')) return `The user's name is ${name}.`;
  return JSON.stringify(prompt.at(-1)).includes('What is my name?') ? `You are ${name}.` : 'I see. '.repeat(20);
};

/** @param storages the same database, as several processes open it. */
export function describeLongConversation(storages: () => readonly Storage[]): void {
  it('remembers the first of 100 questions by summaries, and reads only later messages', async () => {
    const model = scriptedModel(reply);
    const agents = storages().map((storage) => {
      const memory = createMemory({ storage, logger: silentLogger });
      return new Agent({ id: 'a', model, memory, compaction: { afterTokens: 400, keep: 2 } });
    });
    const options = { userId: 'ada', conversationId: randomIds.next(), services: { logger: silentLogger } };
    const ask = (turn: number, question: string) => agents[turn % agents.length]?.generateText(question, options);

    await ask(0, 'My name is Ada.');
    for (let turn = 1; turn < 99; turn += 1) await ask(turn, `Question ${turn}`);
    const reads = storages().map(({ conversations }) => vi.spyOn(conversations, 'messages'));
    const answer = await ask(99, 'What is my name?');

    expect(answer?.text).toBe('You are Ada.');
    const found = reads.flatMap(({ mock }) => mock.settledResults);
    const messages = found.flatMap((page) => (page.type === 'fulfilled' ? (page.value?.messages ?? []) : []));
    expect(messages.length).toBeLessThan(50);
    const all = await storages()[0]?.conversations.messages('anyone', options.conversationId, { limit: 1000 });
    expect(all?.messages.filter(({ role }) => role === 'user')).toHaveLength(100);
    const summaries = all?.messages.filter(({ role }) => role === 'system') ?? [];
    expect(summaries.length).toBeGreaterThan(5);
  });
}
