import { Agent, createTool, type LanguageModel } from '@halyard/core';
import { scriptedModel } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, expect, it, vi } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';
import type { TrialResult } from './trial-schemas.ts';

let server: Served | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const ran: unknown[] = [];
const refund = createTool({
  name: 'refund',
  description: 'Pays back',
  input: Type.Object({ euros: Type.Number() }),
  execute: (input) => {
    ran.push(input);
    return 'paid';
  },
});
const question = { messages: [{ role: 'user', content: 'Money back?' }] };
const proposed = {
  name: 'refund',
  description: 'Changed',
  inputSchema: { type: 'object', properties: { cents: { type: 'integer' } } },
};

function named(modelId: string, ...turns: Parameters<typeof scriptedModel>): ReturnType<typeof scriptedModel> {
  return Object.assign(scriptedModel(...turns), { modelId });
}

async function open(model: LanguageModel, ...others: Agent[]): Promise<Served> {
  const headers = { 'x-provider': 'secret' };
  const desk = new Agent({
    id: 'desk',
    instructions: 'Be kind.',
    model,
    tools: [refund],
    generation: { temperature: 0.3, headers },
    inputGuardrails: [
      {
        name: 'no-bombs',
        check: (text) => (text.includes('bomb') ? { action: 'block', reason: 'No' } : { action: 'allow' }),
      },
    ],
  });
  const storage = createInMemoryStorage();
  const prices = { small: { input: 1_000_000, output: 2_000_000 } };
  server = await serve([], { agents: [desk, ...others], storage, telemetry: { prices } });
  return server;
}

async function attempt(body: object, id = 'desk'): Promise<{ status: number; data: TrialResult; error: string }> {
  const response = await fetch(`${server?.origin}/agents/${id}/try`, json(body));
  return { status: response.status, ...((await response.json()) as { data: TrialResult; error: string }) };
}

it('calls the model with exactly what was edited, and shows the calls that it proposes without running any', async () => {
  const model = named('small', {
    text: ['I will.'],
    toolCalls: [{ toolName: 'refund', toolCallId: 'c1', input: { cents: 5 } }],
    usage: { inputTokens: 2, outputTokens: 3 },
  });
  await open(model);
  const { data, status } = await attempt({
    ...question,
    instructions: 'Be strict.',
    tools: [proposed],
    settings: { temperature: 1.5, seed: 7 },
  });
  expect(status).toBe(200);
  expect(data).toMatchObject({
    text: 'I will.',
    reasoning: null,
    toolCalls: [{ toolCallId: 'c1', toolName: 'refund', input: { cents: 5 } }],
    finishReason: 'tool-calls',
    usage: { promptTokens: 2, completionTokens: 3 },
    cost: 8,
  });
  expect(ran).toEqual([]);
  expect(model.calls).toHaveLength(1);
  expect(model.calls[0]).toMatchObject({
    prompt: [
      { role: 'system', content: 'Be strict.' },
      { role: 'user', content: [{ type: 'text', text: 'Money back?' }] },
    ],
    temperature: 1.5,
    seed: 7,
    headers: expect.objectContaining({ 'x-provider': 'secret' }),
    tools: [{ type: 'function', ...proposed }],
  });
  // No default of the agent or the server.
  expect(model.calls[0]).not.toHaveProperty('maxOutputTokens', expect.any(Number));
});

it('has the instructions and the model of the agent unless they are edited, and no tools', async () => {
  const model = scriptedModel('Yes.');
  await open(model);
  expect((await attempt(question)).data.text).toBe('Yes.');
  expect(model.calls[0]?.prompt[0]).toMatchObject({ role: 'system', content: 'Be kind.' });
  expect(model.calls[0]?.tools ?? []).toEqual([]);
});

it('asks the model of another agent, without the headers of this one', async () => {
  const [own, other] = [named('small', 'Own'), named('large', 'Other')];
  await open(own, new Agent({ id: 'other', model: other }));
  expect((await attempt({ ...question, model: 'large' })).data.text).toBe('Other');
  expect(own.calls).toHaveLength(0);
  expect(JSON.stringify(other.calls[0]?.headers ?? {})).not.toContain('secret');
  expect(await attempt({ ...question, model: 'huge' })).toMatchObject({
    status: 400,
    error: 'body/model must be a model of an agent or one that the providers of agent "desk" know',
  });
});

it('finds a model in the providers of the agent', async () => {
  const found = scriptedModel('Found');
  const providers = {
    languageModel: (id: string): LanguageModel => {
      if (id !== 'openai:gpt') throw new Error('No such model');
      return found;
    },
  };
  await open(scriptedModel('Own'), new Agent({ id: 'routed', model: scriptedModel('Own'), providers }));
  expect((await attempt({ ...question, model: 'openai:gpt' }, 'routed')).data.text).toBe('Found');
  expect((await attempt({ ...question, model: 'openai:x' }, 'routed')).status).toBe(400);
  expect((await attempt({ ...question, model: 'openai:gpt' })).status).toBe(400);
});

it('has the guardrails of the agent', async () => {
  const model = scriptedModel('Boom');
  await open(model);
  const refused = await attempt({ messages: [{ role: 'user', content: 'a bomb' }] });
  expect(refused.status).toBe(400);
  expect(model.calls).toHaveLength(0);
});

it('is a run of its own, in no conversation', async () => {
  const { origin } = await open(scriptedModel('Yes.'));
  const traceId = '4'.repeat(32);
  const init = json(question);
  await fetch(`${origin}/agents/desk/try`, {
    ...init,
    headers: { ...init.headers, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  });
  const trace = (await (await fetch(`${origin}/observability/traces/${traceId}`)).json()) as {
    data: { spans: { attributes: Record<string, unknown> }[] };
  };
  const run = trace.data.spans.find(({ attributes }) => attributes['entity.type'] === 'agent');
  expect(run?.attributes).toMatchObject({ 'entity.id': 'desk', 'halyard.operation': 'try' });
  expect(run?.attributes).not.toHaveProperty(['gen_ai.conversation.id']);
});

it.each([
  [{ messages: [] }, 'body/messages must NOT have fewer than 1 items'],
  [{ ...question, tools: [proposed, proposed] }, 'Two tools have the same name'],
  [{ ...question, settings: { temperature: 3 } }, 'body/settings/temperature must be <= 2'],
  [{ ...question, tools: [{ ...proposed, name: 'a b' }] }, 'body/tools/0/name must match pattern'],
  [
    {
      messages: [
        ...question.messages,
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
      ],
    },
    'body/messages/1 must contain no approval: no tool is run',
  ],
])('refuses %j', async (body, error) => {
  await open(scriptedModel('Yes.'));
  expect(await attempt(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
});

it('ends with its client', async () => {
  const model = scriptedModel({ text: ['so far'], hangs: true });
  const { origin } = await open(model);
  const client = new AbortController();
  const reply = fetch(`${origin}/agents/desk/try`, { ...json(question), signal: client.signal });
  await vi.waitFor(() => expect(model.calls).toHaveLength(1));
  client.abort();
  await expect(reply).rejects.toThrow('abort');
  await vi.waitFor(() => expect(model.calls[0]?.abortSignal?.aborted).toBe(true));
});

it('fails as other runs do', async () => {
  await open(scriptedModel({ error: new Error('no network') }));
  expect(await attempt(question)).toMatchObject({ status: 500 });
  expect((await attempt(question, 'nobody')).status).toBe(404);
});
