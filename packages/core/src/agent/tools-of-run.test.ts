import type { User } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { describe, expect, it } from 'vitest';
import { scriptedModel } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { Agent } from './agent.ts';

const secretOf = (user: User | undefined) =>
  createTool({
    name: `secret_${String(user?.id)}`,
    description: `Of ${String(user?.id)}`,
    input: Type.Object({}),
    execute: () => `secret of ${String(user?.id)}`,
  });
const calling = (toolName: string) => ({ toolCalls: [{ toolName, input: {} }] });

describe('tools that a function chooses', () => {
  it('belong to one run: another user neither sees nor calls them', async () => {
    const model = scriptedModel(calling('secret_ada'), 'Done.', calling('secret_ada'), 'Refused.');
    const agent = new Agent({ id: 'a', model, tools: ({ user }) => [secretOf(user)] });

    const ofAda = await agent.generateText('Tell me', { user: { id: 'ada' } });
    const ofBob = await agent.generateText('Tell me', { user: { id: 'bob' } });

    expect(ofAda.toolResults).toMatchObject([{ toolName: 'secret_ada', output: 'secret of ada' }]);
    expect(ofBob.toolResults).toEqual([]);
    expect(model.calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
      ['secret_ada'],
      ['secret_ada'],
      ['secret_bob'],
      ['secret_bob'],
    ]);
    expect(JSON.stringify(model.calls.at(-1)?.prompt)).toContain('There is no tool');
  });

  it('do not mix when runs of two users interleave', async () => {
    const begun = Promise.withResolvers<void>();
    const agent = new Agent({
      id: 'a',
      model: ({ user }) => scriptedModel(calling(`secret_${String(user?.id)}`), 'Done.'),
      tools: async ({ user }) => {
        // The first run waits for its tools until the second one has ended.
        if (user?.id === 'ada') await begun.promise;
        return [secretOf(user)];
      },
    });

    const ofAda = agent.generateText('Tell me', { user: { id: 'ada' } });
    const ofBob = await agent.generateText('Tell me', { user: { id: 'bob' } });
    begun.resolve();

    expect(ofBob.toolResults).toMatchObject([{ output: 'secret of bob' }]);
    expect((await ofAda).toolResults).toMatchObject([{ output: 'secret of ada' }]);
  });

  it('can be a record, and depend on the context and the conversation', async () => {
    const seen: unknown[] = [];
    const model = scriptedModel('Done.');
    const agent = new Agent({
      id: 'a',
      model,
      tools: ({ context, conversationId, userId }) => {
        seen.push({ context, conversationId, userId });
        return {};
      },
    });

    await agent.generateText('Hello', { context: { plan: 'pro' }, conversationId: 'c', userId: 'u' });

    expect(seen).toEqual([{ context: { plan: 'pro' }, conversationId: 'c', userId: 'u' }]);
    expect(model.calls[0]?.tools).toBeUndefined();
  });

  it('end the run when the function returns something else', async () => {
    const model = scriptedModel('Done.');
    const twice = new Agent({ id: 'a', model, tools: ({ user }) => [secretOf(user), secretOf(user)] });
    // @ts-expect-error a text is no tool
    const wrong = new Agent({ id: 'a', model, tools: () => ['search'] });

    await expect(twice.generateText('Hello')).rejects.toThrow('Agent "a" has two tools named "secret_undefined"');
    await expect(wrong.generateText('Hello')).rejects.toThrow('Item 1 of `tools` of agent "a" is not a tool');
    expect(model.calls).toEqual([]);
  });

  it('stop the run when it is aborted while they are chosen', async () => {
    const abort = new AbortController();
    const agent = new Agent({
      id: 'a',
      model: scriptedModel('Done.'),
      tools: () => {
        abort.abort();
        return new Promise<[]>(() => {});
      },
    });

    await expect(agent.generateText('Hello', { signal: abort.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

it('delegates to the sub-agents that a function chooses', async () => {
  const helper = new Agent({ id: 'helper', model: scriptedModel('Helped.') });
  const model = scriptedModel({ toolCalls: [{ toolName: 'ask_helper', input: { task: 'Help' } }] }, 'Done.');
  const agent = new Agent({
    id: 'a',
    model,
    tools: [secretOf({ id: 'all' })],
    subAgents: ({ context }) => (context['plan'] === 'pro' ? [helper] : []),
  });

  const { toolResults } = await agent.generateText('Hello', { context: { plan: 'pro' } });
  await agent.generateText('Hello');

  expect(toolResults).toMatchObject([{ output: 'Helped.' }]);
  expect(model.calls.map(({ tools }) => tools?.map(({ name }) => name))).toEqual([
    ['secret_all', 'ask_helper'],
    ['secret_all', 'ask_helper'],
    ['secret_all'],
  ]);
  expect(agent).toMatchObject({ choosesTools: false, choosesSubAgents: true, subAgents: [] });
});
