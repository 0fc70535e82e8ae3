import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Agent } from '../agent/agent.ts';
import { createMemory } from '../memory/memory.ts';
import { agentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { fixedClock, scriptedModel, silentLogger } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { lockStreamKey } from './lock/conversation-lock.ts';

/** A model call that begins, and ends when the test lets it. */
function gate() {
  const [entered, opened] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const reply = async (): Promise<string> => {
    entered.resolve();
    return opened.promise;
  };
  return { reply, entered: entered.promise, open: opened.resolve };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('runs of one conversation at the same time', () => {
  it('are answered one after the other, in order of arrival', async () => {
    const { agent, options, texts } = agentWithMemory([({ prompt }) => `It is message ${prompt.length}.`]);
    const questions = Array.from({ length: 5 }, (_, at) => `Question ${at}`);

    await Promise.all(questions.map((question) => agent.generateText(question, options)));

    expect(await texts()).toEqual(
      questions.flatMap((question, at) => [`user: ${question}`, `assistant: It is message ${2 * at + 1}.`]),
    );
  });

  it('are answered one after the other by two processes on one storage', async () => {
    const storage = createInMemoryStorage();
    const process = () => new Agent({ id: 'a', model: scriptedModel('Yes.'), memory: createMemory({ storage }) });
    const options = { userId: 'ada', conversationId: 'c1', services: { logger: silentLogger } };

    await Promise.all([process().generateText('One', options), process().generateText('Two', options)]);

    const stored = await storage.conversations.messages('anyone', 'c1', { limit: 9 });
    expect(stored?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('do not wait for those of another conversation', async () => {
    const { reply, entered, open } = gate();
    const { agent, options } = agentWithMemory([reply, 'Hello.']);
    const first = agent.generateText('One', options);
    await entered;

    expect((await agent.generateText('Two', { ...options, conversationId: 'c2' })).text).toBe('Hello.');
    open('Done.');
    await first;
  });
});

describe('a question during an answer', () => {
  it('is refused with the policy reject, if the answer does not end within a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { reply, entered, open } = gate();
    const { agent, options, texts } = agentWithMemory([reply, 'Later.'], { onBusy: 'reject' });
    const first = agent.generateText('One', options);
    await entered;

    const [refused] = await Promise.allSettled([
      agent.generateText('Two', options),
      vi.advanceTimersByTimeAsync(1_000),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { kind: 'conflict', code: 'CHAT_BUSY' } });
    const third = agent.generateText('Three', options);
    open('First.');
    await Promise.all([first, third]);

    expect(await texts()).toEqual(['user: One', 'assistant: First.', 'user: Three', 'assistant: Later.']);
  });

  it('aborts that answer with the policy interrupt', async () => {
    const { reply, entered } = gate();
    const { agent, options, texts } = agentWithMemory([reply, 'Second.'], { onBusy: 'interrupt' });
    const first = agent.generateText('One', options);
    await entered;

    const [interrupted] = await Promise.allSettled([first, agent.generateText('Two', options)]);

    expect(interrupted).toMatchObject({ status: 'rejected', reason: { code: 'ABORTED' } });
    expect(await texts()).toEqual(['user: One', 'user: Two', 'assistant: Second.']);
  });

  it('is answered when the answer was aborted by its caller', async () => {
    const { reply, entered } = gate();
    const { agent, options, texts } = agentWithMemory([reply, 'Second.'], { onBusy: 'reject' });
    const leaving = new AbortController();
    const first = agent.generateText('One', { ...options, signal: leaving.signal });
    await entered;

    leaving.abort();
    const [left] = await Promise.allSettled([first, agent.generateText('Two', options)]);

    expect(left.status).toBe('rejected');
    expect(await texts()).toEqual(['user: One', 'user: Two', 'assistant: Second.']);
  });

  it('is not asked when its caller leaves, or when it has waited too long', async () => {
    const { reply, entered, open } = gate();
    const { agent, options, texts } = agentWithMemory([reply, 'Third.']);
    const first = agent.generateText('One', options);
    await entered;
    const leaving = new AbortController();
    const left = agent.generateText('Left', { ...options, signal: leaving.signal });
    const late = agent.generateText('Late', { ...options, services: { ...options.services, busyWaitMs: 20 } });
    const third = agent.generateText('Three', options);

    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(late).rejects.toMatchObject({ kind: 'unavailable', code: 'CHAT_STILL_BUSY' });
    open('First.');
    await Promise.all([first, third]);

    expect(await texts()).toEqual(['user: One', 'assistant: First.', 'user: Three', 'assistant: Third.']);
  });

  it('is refused when too many wait', async () => {
    const { reply, entered, open } = gate();
    const { agent, options } = agentWithMemory([reply, 'Yes.']);
    const first = agent.generateText('One', options);
    await entered;
    const waiting = Array.from({ length: 50 }, () => agent.generateText('Next', options));

    await expect(agent.generateText('Too many', options)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'CHAT_BUSY',
    });

    open('Done.');
    await Promise.all([first, ...waiting]);
  });

  it('does not wait when a tool of that answer asks it', async () => {
    const asked: string[] = [];
    const { agent: inner, memory, options } = agentWithMemory(['Inner.']);
    const ask = createTool({
      name: 'ask',
      description: '',
      input: Type.Object({}),
      execute: async () => {
        const { text } = await inner.generateText('Nested', options);
        asked.push(text);
        return text;
      },
    });
    const model = scriptedModel({ toolCalls: [{ toolName: 'ask', input: {} }] }, 'Outer.');
    const outer = new Agent({ id: 'outer', model, memory, tools: [ask] });

    expect((await outer.generateText('Hi', options)).text).toBe('Outer.');
    expect(asked).toEqual(['Inner.']);
  });

  it('waits although the code that asks it was started by an earlier answer', async () => {
    const later = Promise.withResolvers<void>();
    const asked: Promise<unknown>[] = [];
    const { agent, memory, options, texts } = agentWithMemory([({ prompt }) => `It is message ${prompt.length}.`]);
    const starting = new Agent({
      id: 'starting',
      model: scriptedModel('Started.'),
      memory,
      hooks: {
        onStart: () => {
          for (const question of ['One', 'Two'])
            asked.push(later.promise.then(() => agent.generateText(question, options)));
        },
      },
    });
    await starting.generateText('Hi', options);
    later.resolve();
    await Promise.all(asked);

    expect(await texts()).toEqual([
      'user: Hi',
      'assistant: Started.',
      'user: One',
      'assistant: It is message 3.',
      'user: Two',
      'assistant: It is message 5.',
    ]);
  });
});

it('takes the lock of a process that died when its lease ends', async () => {
  const clock = fixedClock();
  const storage = createInMemoryStorage({ clock });
  const agent = new Agent({ id: 'a', model: scriptedModel('Hello.'), memory: createMemory({ storage }) });
  const place = { userId: 'ada', ...lockStreamKey({ agentId: 'a', conversationId: 'c1' }) };
  await storage.streams?.begin({ id: 'died', ...place }, 10_000);

  const answer = agent.generateText('Hi', {
    userId: 'ada',
    conversationId: 'c1',
    services: { logger: silentLogger },
  });
  expect(await storage.conversations.isTaken('c1')).toBe(false);
  clock.advance(10_000);

  expect((await answer).text).toBe('Hello.');
  expect(await storage.streams?.findLive('anyone', place)).toBeUndefined();
});

it('releases the lock when a request is refused', async () => {
  const { agent, options } = agentWithMemory(['Hello.'], { onBusy: 'reject' });

  await expect(agent.generateText([], options)).rejects.toMatchObject({ kind: 'invalid-input' });

  expect((await agent.generateText('Hi', options)).text).toBe('Hello.');
});
