import type { Message } from '@halyard/contracts';
import { createInMemoryStorage, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { describe, expect, it } from 'vitest';
import type { AgentOptions } from '../agent/agent-options.ts';
import { redactPii } from '../agent/processors/redact-pii.ts';
import { type AgentWithMemory, agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { chatOf } from '../memory/testing/chat-client.ts';
import type { AgentInput, InputUIMessage } from '../model/messages/message.ts';
import { keywordEmbedding } from '../testing/index.ts';

/** 100 tokens. */
const long = (words: string): string => words.padEnd(400, '.');
const summary = 'Ada likes tea.';
const user = (id: string, text: string): InputUIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });

interface Conversation extends AgentWithMemory {
  /** Sends everything that is stored with another question, as `useChat` does. */
  ask(question: number): Promise<void>;
  askFirst(last: number): Promise<void>;
  lines(): Promise<readonly string[]>;
  sent(): readonly string[];
  summaries(): Promise<readonly Message[]>;
}

/**
 * A conversation whose prompts have five exchanges at most; with more, all but two are summarised.
 */
function conversationWith(options: Partial<AgentOptions> = {}, notes = summary): Conversation {
  const parts = agentWithMemory(
    [
      ({ prompt }) => {
        const [first] = prompt;
        if (first?.role === 'system' && first.content.startsWith('You take notes')) return notes;
        const text = JSON.stringify(prompt.at(-1)?.content);
        return long(`Answer ${/Question (\w+)/.exec(text)?.[1] ?? ''}`);
      },
    ],
    { compaction: { afterTokens: 1000, keep: 2 }, ...options },
  );
  const short = (line: string): string =>
    line.replace(/\.{3,}$/, '').replace(/^user: What was said before[^]*\n/, '* ');
  const ask = async (question: number): Promise<void> => {
    const sent = [...chatOf(await parts.stored()), user(`q${question}`, long(`Question ${question}`))];
    await parts.agent.generateText(sent, { ...parts.options, messageId: `a${question}` });
  };
  return {
    ...parts,
    ask,
    askFirst: async (last) => {
      for (let question = 1; question <= last; question += 1) await ask(question);
    },
    lines: async () => (await parts.texts()).map(short),
    sent: () => parts.promptLines().map(short),
    summaries: async () => (await parts.stored()).filter(({ role }) => role === 'system'),
  };
}

const exchange = (turn: number): string[] => [`user: Question ${turn}`, `assistant: Answer ${turn}`];
const exchanges = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => exchange(from + index)).flat();

describe('a summary in a conversation', () => {
  it('is no instruction when `useChat` sends it back', async () => {
    const { askFirst, sent } = conversationWith({ acceptSystemMessages: false });

    await askFirst(7);

    expect(sent()).toEqual([`* ${summary}`, ...exchanges(4, 6), 'user: Question 7']);
  });

  it('is recognised if the client sends no metadata', async () => {
    const { agent, askFirst, options, sent, stored } = conversationWith({ acceptSystemMessages: false });
    await askFirst(6);

    const chat = (await stored()).map(({ id, parts, role }) => ({ id, role, parts }));
    await agent.generateText([...chat, user('q7', 'Question 7')] as AgentInput, options);

    expect(sent()).toEqual([`* ${summary}`, ...exchanges(4, 6), 'user: Question 7']);
  });

  it('can be undone: without it, the summary before it counts again', async () => {
    const { ask, askFirst, memory, options, agent, sent, summaries } = conversationWith();
    await askFirst(9);
    const [first, second] = await summaries();
    expect(second).toBeDefined();

    await memory.deleteMessages({ user: 'ada' }, 'c1', [second?.id ?? '']);
    await agent.generateText('Question 10', { ...options, memory: { options: { readOnly: true } } });

    expect((await summaries()).map(({ id }) => id)).toEqual([first?.id]);
    expect(sent().join()).toContain('Question 6');
    await ask(10);
    expect(await summaries()).toHaveLength(2);
  });

  it('can be corrected', async () => {
    const { ask, askFirst, memory, sent, summaries } = conversationWith();
    await askFirst(6);
    const [first] = await summaries();

    const corrected = { ...first, parts: [{ type: 'text', text: 'Ada likes coffee.' }] } as Message;
    await memory.save({ user: 'ada' }, 'c1', [corrected]);
    await ask(7);

    expect(sent()[0]).toBe('* Ada likes coffee.');
  });

  it('belongs to the owner of the conversation', async () => {
    const { askFirst, memory } = conversationWith();
    await askFirst(6);

    await expect(memory.messages({ user: 'bob' }, 'c1', { limit: 100 })).rejects.toThrow('not found');
    await expect(memory.deleteMessages({ user: 'bob' }, 'c1', ['q1'])).rejects.toThrow('not found');
  });

  it('is deleted with a message that it repeats', async () => {
    const { askFirst, lines, memory } = conversationWith();
    await askFirst(9);

    expect(await memory.deleteMessages({ user: 'ada' }, 'c1', ['q1', 'nothing'])).toBe(1);

    expect(await lines()).toEqual(exchanges(1, 9).slice(1));
  });

  it('stays if a message after it is deleted, or one that only its successor repeats', async () => {
    const { ask, askFirst, memory, sent, summaries } = conversationWith();
    await askFirst(9);

    await memory.deleteMessages({ user: 'ada' }, 'c1', ['q9', 'a9']);
    expect(await summaries()).toHaveLength(2);
    await memory.deleteMessages({ user: 'ada' }, 'c1', ['q5']);
    expect(await summaries()).toHaveLength(1);

    await ask(10);
    expect(sent()).toEqual([
      `* ${summary}`,
      ...exchange(4),
      'assistant: Answer 5',
      ...exchanges(6, 8),
      'user: Question 10',
    ]);
  });

  it('is deleted with a change of a message that it repeats, and stays where nothing changes', async () => {
    const { askFirst, memory, stored, summaries } = conversationWith();
    await askFirst(6);
    const owner = { user: 'ada' };
    const messages = (await stored()).filter(({ role }) => role !== 'system');

    await memory.save(owner, 'c1', messages);
    expect(await summaries()).toHaveLength(1);
    await memory.save(owner, 'c1', [{ id: 'q6', role: 'user', parts: [{ type: 'text', text: 'Changed' }] }]);
    expect(await summaries()).toHaveLength(1);
    await memory.save(owner, 'c1', [{ id: 'q2', role: 'user', parts: [{ type: 'text', text: 'Changed' }] }]);
    expect(await summaries()).toHaveLength(0);
  });

  it('goes on to count when the question after it is answered again', async () => {
    const { agent, askFirst, lines, model, options, sent } = conversationWith();
    await askFirst(6);
    const calls = model.calls.length;

    await agent.generateText([user('q6', long('Question 6'))], { ...options, resend: 'regenerate' });

    expect(model.calls).toHaveLength(calls + 1);
    expect(sent()).toEqual([`* ${summary}`, ...exchanges(4, 5), 'user: Question 6']);
    expect(await lines()).toEqual([...exchanges(1, 5), `system: ${summary}`, ...exchange(6)]);
  });

  it('stays when a question before it, which it does not repeat, is answered again', async () => {
    const { agent, ask, askFirst, lines, options, sent, summaries } = conversationWith();
    await askFirst(6);

    await agent.generateText([user('q5', long('Question 5b'))], { ...options, resend: 'edit' });

    expect(sent()).toEqual([`* ${summary}`, ...exchange(4), 'user: Question 5b']);
    expect(await lines()).toEqual([
      ...exchanges(1, 4),
      'user: Question 5b',
      `system: ${summary}`,
      'assistant: Answer 5b',
    ]);
    await ask(6);
    expect(await summaries()).toHaveLength(1);
    expect(sent()).toEqual([
      `* ${summary}`,
      ...exchange(4),
      'user: Question 5b',
      'assistant: Answer 5b',
      'user: Question 6',
    ]);
  });

  it('is deleted when a question that it repeats is answered again', async () => {
    const { agent, askFirst, lines, options, sent } = conversationWith();
    await askFirst(9);

    await agent.generateText([user('q2', long('Question 2'))], { ...options, resend: 'regenerate' });

    expect(sent()).toEqual([...exchange(1), 'user: Question 2']);
    expect(await lines()).toEqual(exchanges(1, 2));
  });

  it('that is not the newest counts for an older question', async () => {
    const { agent, askFirst, lines, model, options, sent } = conversationWith();
    await askFirst(9);
    const calls = model.calls.length;

    await agent.generateText([user('q5', long('Question 5b'))], { ...options, resend: 'edit' });

    expect(model.calls).toHaveLength(calls + 1);
    expect(sent()).toEqual([`* ${summary}`, ...exchange(4), 'user: Question 5b']);
    expect(await lines()).toEqual([
      ...exchanges(1, 4),
      'user: Question 5b',
      `system: ${summary}`,
      'assistant: Answer 5b',
    ]);
  });

  it('of the distant past counts for a question of its time', async () => {
    const { agent, ask, askFirst, model, options, sent } = conversationWith();
    await askFirst(9);
    for (let question = 10; question < 80; question += 1) await ask(question);
    const calls = model.calls.length;

    await agent.generateText([user('q7', long('Question 7b'))], { ...options, resend: 'edit' });

    expect(model.calls).toHaveLength(calls + 1);
    expect(sent()).toEqual([`* ${summary}`, ...exchanges(4, 6), 'user: Question 7b']);
  });

  it('is made for a question that is answered again, and stays with its new answer', async () => {
    const { agent, askFirst, lines, options, save, summaries } = conversationWith();
    await askFirst(5);
    await save(user('q6', long('Question 6')) as Message, {
      id: 'a6',
      role: 'assistant',
      parts: [{ type: 'text', text: 'Old' }],
    });

    await agent.generateText([user('q6', long('Question 6'))], { ...options, resend: 'regenerate' });

    expect(await summaries()).toHaveLength(1);
    expect(await lines()).toEqual([
      ...exchanges(1, 5),
      'user: Question 6',
      `system: ${summary}`,
      'assistant: Answer 6',
    ]);
  });

  it('is part of a copy of the conversation', async () => {
    const { agent, askFirst, memory, options, sent } = conversationWith();
    await askFirst(6);

    await memory.clone({ user: 'ada' }, { id: 'c1', newId: 'c2', includeMessages: true });
    await agent.generateText('Question 7', { ...options, conversationId: 'c2' });

    expect(sent()).toEqual([`* ${summary}`, ...exchanges(4, 6), 'user: Question 7']);
  });

  it('is not written by a run that only reads', async () => {
    const { agent, askFirst, options, sent, summaries } = conversationWith();
    await askFirst(5);

    await agent.generateText('Question 6', { ...options, memory: { options: { readOnly: true } } });

    expect(await summaries()).toHaveLength(0);
    expect(sent()).toEqual([...exchanges(2, 5), 'user: Question 6']);
  });

  it('replaces only older messages, whatever its metadata say', async () => {
    const { agent, options, save, sent } = conversationWith();
    const metadata = { summary: { until: '9999-01-01T00:00:00.000Z', messages: 1 } };
    await save(user('q1', 'Question 1') as Message);
    await save({ id: 's', role: 'system', parts: [{ type: 'text', text: 'Forged.' }], metadata });
    await save(user('q2', 'Question 2') as Message);

    await agent.generateText('Question 3', options);

    expect(sent()).toEqual(['* Forged.', 'user: Question 2', 'user: Question 3']);
  });

  it('is found among other system messages, however many a client stores', async () => {
    const { ask, askFirst, save, sent } = conversationWith();
    await askFirst(6);
    for (let index = 0; index < 19; index += 1)
      await save({ id: `s${index}`, role: 'system', parts: [{ type: 'text', text: 'Note' }] });

    await ask(7);

    expect(sent()).toContain(`* ${summary}`);
  });

  it('passes the output processors before it is stored', async () => {
    const { askFirst, summaries } = conversationWith({ processors: [redactPii()] }, 'Mail ada@example.org.');

    await askFirst(6);

    expect((await summaries())[0]?.parts).toEqual([{ type: 'text', text: 'Mail [email].' }]);
  });

  it('that a guardrail blocks is not stored, and the answer goes on', async () => {
    const sources: string[] = [];
    const { askFirst, lines, summaries } = conversationWith({
      outputGuardrails: [
        {
          name: 'secrets',
          check: (_text, _run, { source }) => {
            sources.push(source);
            return source === 'summary' ? { action: 'block', reason: 'it is secret' } : { action: 'allow' };
          },
        },
      ],
    });

    await askFirst(6);

    expect(sources).toContain('summary');
    expect(await summaries()).toEqual([]);
    expect(await lines()).toEqual(exchanges(1, 6));
  });

  it('is not recalled: it repeats messages', async () => {
    const storage = createInMemoryStorage();
    const vectors = createInMemoryVectorStore();
    const embedding = keywordEmbedding(['tea']);
    const parts = agentWithMemory([''], {}, { storage, vectors, embedding });
    await storage.conversations.create({ id: 'c1', userId: 'ada', resourceId: 'a', title: '', metadata: {} });
    const metadata = { summary: { until: '2026-01-01T00:00:00.000Z', messages: 1 } };
    await parts.memory.save('anyone', 'c1', [
      { id: 's', role: 'system', parts: [{ type: 'text', text: summary }], metadata },
      user('q1', 'I like tea') as Message,
    ]);
    await parts.memory.flush();

    const found = await parts.memory.search('anyone', { query: 'tea', limit: 10, threshold: 0.1 });

    expect(found.map(({ messageId }) => messageId)).toEqual(['q1']);
  });
});

describe('the option `compaction`', () => {
  const agentOf = (options: object) => agentWithMemory(['Hi'], options);

  it.each([
    [{ compaction: { keep: 2 } }, 'compaction.afterTokens must be an integer from 200 on'],
    [{ compaction: { afterTokens: 199 } }, 'compaction.afterTokens must be an integer from 200 on'],
    [{ compaction: { afterTokens: 1000, keep: 0 } }, 'compaction.keep must be an integer from 1 on'],
    [{ compaction: { afterTokens: 1000, timeoutMs: 0 } }, 'compaction.timeoutMs must be an integer from 1 on'],
    [{ compaction: { afterTokens: 1000 }, contextTokens: 1000 }, 'must be less than its contextTokens'],
    [{ compaction: { afterTokens: 1000 }, memory: false }, 'needs a memory'],
    [{ compaction: { afterTokens: 1000, model: 7 } }, 'must be an AI SDK language model'],
  ])('refuses %j', (options, message) => {
    expect(() => agentOf(options)).toThrow(message);
  });
});
