import { Agent, createMemory, type Memory } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, type Reply } from '../../../testing/memory.ts';
import { serve, type Served } from '../../../testing/serve.ts';

const servers: Served[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function agent(id: string, memory?: Memory | false): Agent {
  return new Agent({ id, model: scriptedModel('ok'), ...(memory !== undefined && { memory }) });
}

async function served(options: Parameters<typeof serve>[1]): Promise<Served> {
  const server = await serve([], options);
  servers.push(server);
  return server;
}

/** Creates a conversation, and returns the names of the memories that contain it. */
async function placeOf(server: Served, fields: object, memories: Readonly<Record<string, Memory>>): Promise<string> {
  const { data } = await ask(server.origin, '/conversations', { body: { userId: 'ada', ...fields } });
  const { id, resourceId } = data['conversation'] as { id: string; resourceId: string };
  for (const [name, memory] of Object.entries(memories))
    if ((await memory.storage.conversations.find('anyone', id)) !== undefined) return `${name} ${resourceId}`;
  return 'nowhere';
}

describe('the memory that a request uses', () => {
  const own = createMemory();
  const shared = createMemory();
  const memories = { own, shared };

  it('is the agent’s own, else the server’s', async () => {
    const server = await served({ agents: [agent('one', own), agent('two'), agent('three', false)], memory: shared });
    expect(await placeOf(server, { agentId: 'one' }, memories)).toBe('own one');
    expect(await placeOf(server, { agentId: 'two' }, memories)).toBe('shared two');
    expect(await placeOf(server, {}, memories)).toBe('shared default');
    expect(await placeOf(server, { agentId: 'one', resourceId: 'garden' }, memories)).toBe('own garden');
  });

  it('is that of the only agent with a memory', async () => {
    const server = await served({ agents: [agent('one', own), agent('two'), agent('three', false)] });
    expect(await placeOf(server, {}, memories)).toBe('own one');
  });

  it.each<readonly [string, Parameters<typeof serve>[1], string, number, string]>([
    ['of an unknown agent', { memory: shared }, '?agentId=unknown', 404, 'AGENT_NOT_FOUND'],
    ['of no agent and no server', { agents: [agent('one')] }, '', 400, 'MEMORY_NOT_CONFIGURED'],
    ['of several agents', { agents: [agent('one', own), agent('two', shared)] }, '', 400, 'MEMORY_NOT_CONFIGURED'],
    [
      'of an agent without',
      { agents: [agent('one', false)], memory: shared },
      '?agentId=one',
      400,
      'MEMORY_NOT_CONFIGURED',
    ],
    ['of an agent without', { agents: [agent('one')] }, '?agentId=one', 400, 'MEMORY_NOT_CONFIGURED'],
  ])('cannot be that %s', async (_, options, query, status, code) => {
    const { origin } = await served(options);
    const calls: Promise<Reply>[] = [
      ask(origin, `/conversations${query}`),
      ask(origin, `/conversations/c1${query}`),
      ask(origin, `/conversations${query}`, { body: { userId: 'ada' } }),
      ask(origin, `/conversations/c1/messages${query}`),
    ];
    for (const reply of await Promise.all(calls)) expect(reply).toMatchObject({ status, code });
  });

  it('is selected by the query or the body', async () => {
    const { origin } = await served({ agents: [agent('one', own)], memory: shared });
    const body = { userId: 'ada', conversationId: 'c-1', agentId: 'one' };
    expect((await ask(origin, '/conversations', { body })).status).toBe(201);
    const change = { method: 'PATCH', body: { title: 'x' } };
    expect((await ask(origin, '/conversations/c-1', change)).status).toBe(404);
    expect((await ask(origin, '/conversations/c-1?agentId=one', change)).status).toBe(200);
    const named = { method: 'PATCH', body: { title: 'x', agentId: 'one' } };
    expect((await ask(origin, '/conversations/c-1', named)).status).toBe(200);
  });

  it('lists the conversations of the named agent, or all, if agents share it', async () => {
    const memory = createMemory();
    const { origin } = await served({ agents: [agent('one'), agent('two')], memory });
    for (const body of [{ agentId: 'one' }, { agentId: 'two' }, {}])
      await ask(origin, '/conversations', { body: { userId: 'ada', ...body } });
    const total = async (query: string) => (await ask(origin, `/conversations${query}`)).data['total'];
    expect(await total('?agentId=one')).toBe(1);
    expect(await total('?agentId=one&resourceId=two')).toBe(1);
    expect(await total('?resourceId=default')).toBe(1);
    expect(await total('')).toBe(3);
  });
});

describe('the summary of an agent', () => {
  it('contains the settings of its memory', async () => {
    const own = createMemory({ contextLimit: 3, workingMemory: { scope: 'user' } });
    const shared = createMemory();
    const helper = agent('helper', own);
    const boss = new Agent({ id: 'boss', model: scriptedModel('ok'), subAgents: [helper] });
    const options = { agents: [boss, agent('none', false)] };
    const summaries = async ({ origin }: Served) => {
      const { data } = (await (await fetch(`${origin}/agents`)).json()) as { data: readonly Record<string, unknown>[] };
      return data;
    };
    const remembering = await served({ ...options, memory: shared });
    expect(await summaries(remembering)).toMatchObject([
      { memory: { config: shared.config }, subAgents: [{ memory: { config: own.config } }] },
      { memory: null },
    ]);
    expect(own.config).toMatchObject({ contextLimit: 3, workingMemory: { scope: 'user', format: 'markdown' } });
    // The same agents in another server.
    expect(await summaries(await served(options))).toMatchObject([{ memory: null }, { memory: null }]);
    const { data } = (await (await fetch(`${remembering.origin}/agents/boss`)).json()) as { data: object };
    expect(data).toMatchObject({ memory: { config: shared.config } });
  });
});
