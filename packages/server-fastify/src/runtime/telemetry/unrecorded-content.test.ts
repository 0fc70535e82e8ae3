import { silentLogger } from '@halyard/contracts';
import { Agent, andThen, createMemory, createTool, createWorkflow } from '@halyard/core';
import { keywordEmbedding, scriptedModel } from '@halyard/core/testing';
import { createInMemoryTelemetryStore, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, expect, it } from 'vitest';
import { json, serve, type Served } from '../../testing/serve.ts';

let server: Served;
afterEach(() => server.close());

/** Stands in each place that may contain content. */
const marker = 'cobalt-4711';

/** As the AI SDK's providers throw it: with the request, and the reply of the provider. */
function providerError(): Error {
  const fields = { name: 'AI_APICallError', statusCode: 400, responseBody: marker, requestBodyValues: { marker } };
  return Object.assign(new Error(`cannot answer ${marker}`), fields);
}

class OwnError extends Error {
  override readonly cause = new Error(marker);
}

const fails = (): never => {
  throw new OwnError(`${marker}\n    at ${marker}`);
};
const call = (toolName: string, input: unknown) => ({ toolCalls: [{ toolName, input }] });
const anything = Type.Object({ text: Type.Optional(Type.String()) });

const echo = createTool({ name: 'echo', description: marker, input: anything, execute: ({ text }) => ({ text }) });
const broken = createTool({ name: 'broken', description: 'Breaks', input: anything, execute: fails });
const vague = createTool({
  name: 'vague',
  description: 'Answers in a form of its own',
  input: anything,
  output: Type.Object({ n: Type.Number() }),
  execute: () => ({ n: marker as unknown as number }),
});
const unreadable = createTool({
  name: 'unreadable',
  description: 'Its output cannot be shown',
  input: anything,
  execute: () => marker,
  toModelOutput: fails,
});
const guarded = createTool({
  name: 'guarded',
  description: 'Asks whether it may run',
  input: anything,
  needsApproval: fails,
  execute: () => marker,
});

/** A person denies it, with a reason. */
const asking = createTool({
  name: 'asking',
  description: '',
  input: anything,
  needsApproval: true,
  execute: () => marker,
});
const slow = createTool({
  name: 'slow',
  description: 'Takes too long',
  input: anything,
  timeoutMs: 1,
  execute: () => new Promise<never>(() => {}),
});

/** Scripted models and embeddings have a state, so each server has its own. */
function parts() {
  const memory = createMemory({
    logger: silentLogger,
    workingMemory: { schema: Type.Object({ [marker]: Type.Optional(Type.String({ maxLength: 3 })) }) },
    titles: { model: scriptedModel({ error: providerError() }) },
    embedding: keywordEmbedding([], { errors: Array.from({ length: 50 }, providerError) }),
    vectors: createInMemoryVectorStore(),
  });
  const once = { maxRetries: 0 };
  const block = () => ({ action: 'block' as const, reason: marker });
  const model = () => scriptedModel({ text: marker, reasoning: marker });
  const blocking = new Agent({
    id: 'refuses',
    model: model(),
    inputGuardrails: [{ name: 'words', check: block }],
  });
  let attempts = 0;
  const agents = [
    new Agent({
      id: 'talks',
      instructions: marker,
      memory,
      model: scriptedModel(
        call('echo', { text: marker }),
        call('broken', { text: marker }),
        call('vague', { text: marker }),
        call('unreadable', { text: marker }),
        call('guarded', { text: marker }),
        call('echo', { text: [marker] }),
        call(marker, {}),
        call('updateWorkingMemory', { [marker]: marker }),
        call('ask_refused', { task: marker }),
        { text: marker, reasoning: marker },
      ),
      tools: [echo, broken, vague, unreadable, guarded],
      subAgents: [new Agent({ id: 'refused', model: model(), outputGuardrails: [{ name: 'words', check: block }] })],
      hooks: { onStart: fails, onEnd: fails, onToolStart: fails },
      repairToolCall: fails,
      maxSteps: 20,
    }),
    new Agent({ id: 'plain', model: model() }),
    blocking,
    new Agent({ id: 'breaks', model: model(), inputGuardrails: [{ name: 'words', check: fails }] }),
    new Agent({ id: 'instructed', model: model(), instructions: fails }),
    new Agent({ id: 'fails', model: scriptedModel({ error: providerError() }), retries: once }),
    new Agent({
      id: 'cut',
      model: scriptedModel({ text: [marker], error: fails, failAfterText: true }),
      retries: once,
    }),
    new Agent({ id: 'asks', model: scriptedModel(call('asking', { text: marker }), marker), tools: [asking] }),
    new Agent({ id: 'leaves', model: scriptedModel({ text: [marker], hangs: true }) }),
    new Agent({ id: 'breaks-off', model: scriptedModel({ text: [marker], breaksOff: true }), retries: once }),
    new Agent({ id: 'slow', model: scriptedModel(call('slow', { text: marker }), marker), tools: [slow] }),
    new Agent({ id: 'unprepared', model: model(), prepareStep: fails }),
    new Agent({
      id: 'unstoppable',
      model: scriptedModel(call('echo', { text: marker }), marker),
      tools: [echo],
      stopWhen: fails,
    }),
    new Agent({ id: 'unchecked', model: model(), outputGuardrails: [{ name: 'words', check: fails }] }),
    new Agent({ id: 'unknown', model: fails }),
    new Agent({ id: 'lists', model: [scriptedModel({ error: providerError() }), model()], retries: once }),
  ];
  const workflows = [
    createWorkflow({ id: 'waits', input: anything, result: Type.Unknown() })
      .andThen({
        id: 'tries',
        retries: { attempts: 2, delayMs: 1 },
        execute: ({ data }) => (attempts++ === 0 ? fails() : data),
      })
      .andThen({
        id: 'asks',
        execute: ({ data, resumeData, suspend }) => (resumeData ? data : suspend(marker, { marker })),
      })
      .andThen({ id: 'ends', execute: fails }),
    createWorkflow({ id: 'agents', input: anything, result: Type.Unknown() }).andAgent({
      id: 'asks',
      agent: blocking,
      prompt: marker,
    }),
  ];
  const breaking = andThen({ id: 'breaks', execute: fails });
  const failing = {
    'in-parts': createWorkflow({ id: 'in-parts' }).andAll({ id: 'all', steps: [breaking] }),
    'in-a-list': createWorkflow({ id: 'in-a-list' }).andForEach({ id: 'each', items: () => [marker], step: breaking }),
    'in-a-choice': createWorkflow({ id: 'in-a-choice' }).andWhen({ id: 'if', condition: fails, step: breaking }),
    mapped: createWorkflow({ id: 'mapped' }).andMap({ id: 'maps', map: { text: fails } }),
    caught: createWorkflow({ id: 'caught' })
      .andTry({
        id: 'tries',
        step: breaking,
        catch: andThen({ id: 'says', execute: ({ data }) => data.error.message }),
      })
      .andThen({ id: 'goes-on', execute: () => marker }),
    guarded: createWorkflow({ id: 'guarded', input: Type.Object({ text: Type.String() }) }).andGuardrail({
      id: 'words',
      guardrails: [{ name: 'words', check: block }],
    }),
    undone: createWorkflow({ id: 'undone' })
      .andThen({ id: 'does', execute: () => marker, compensate: fails })
      .andThen({ id: 'breaks', execute: fails }),
    slow: createWorkflow({ id: 'slow' }).andThen({
      id: 'waits',
      timeoutMs: 1,
      execute: () => new Promise<never>(() => {}),
    }),
    outer: createWorkflow({ id: 'outer' }).andWorkflow({
      id: 'inner',
      workflow: createWorkflow({ id: 'inner' }).andThen({ id: 'breaks', execute: fails }),
    }),
    typed: createWorkflow({ id: 'typed', result: Type.Number() }).andThen({
      id: 'answers',
      execute: () => marker as unknown as number,
    }),
    hooked: createWorkflow({ id: 'hooked', hooks: { onStart: fails, onEnd: fails } }).andThen({
      id: 'works',
      execute: () => marker,
    }),
    cancelled: createWorkflow({ id: 'cancelled' }).andThen({ id: 'asks', execute: ({ suspend }) => suspend(marker) }),
  };
  return { agents, memory, workflows: [...workflows, ...Object.values(failing)], failing: Object.keys(failing) };
}

/** Calls every kind of operation, and reads its whole reply. */
async function useEverything({ agents, failing, memory }: ReturnType<typeof parts>): Promise<void> {
  const send = async (path: string, body: object, method = 'POST'): Promise<Record<string, unknown>> => {
    const reply = await fetch(`${server.origin}${path}`, { ...json(body), method });
    const text = await reply.text();
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  };
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const options = { userId: 'ada', conversationId: 'c1', context: { marker }, stopSequences: [marker], maxSteps: 20 };
  for (const { id } of agents) {
    if (id === 'leaves' || id === 'asks') continue;
    const own = id === 'talks' ? options : { ...options, conversationId: undefined };
    for (const operation of ['text', 'stream', 'chat', 'object', 'stream-object'])
      await send(`/agents/${id}/${operation}`, { input: marker, options: own, schema });
  }
  for (const name of ['echo', 'broken', 'vague', 'guarded'])
    await send(`/tools/${name}/execute`, { input: { text: marker }, context: { marker } });
  await send('/tools/echo/execute', { input: { text: [marker] } });

  const started = await send('/workflows/waits/execute', { input: { text: marker } });
  const { executionId } = started['data'] as { executionId: string };
  await send(`/workflows/waits/executions/${executionId}/resume`, { resumeData: { marker } });
  await send('/workflows/waits/stream', { input: { text: [marker] } });
  await send('/workflows/agents/execute', { input: { text: marker } });

  for (const id of failing) {
    const { data } = await send(`/workflows/${id}/execute`, { input: { text: marker } });
    if (id !== 'cancelled') continue;
    const execution = (data as { executionId: string }).executionId;
    await send(`/workflows/${id}/executions/${execution}/cancel`, { reason: marker });
  }
  await leave();
  await deny(send);

  const message = { role: 'user', parts: [{ type: 'text', text: marker }], conversationId: 'c1', userId: 'ada' };
  await send('/api/memory/save-messages', { messages: [message] });
  await send('/api/memory/conversations/c1/working-memory', { content: { [marker]: marker }, mode: 'append' });
  await (await fetch(`${server.origin}/api/memory/search?searchQuery=${marker}&query=${marker}`)).text();
  await memory.flush();
}

/** A client that stops reading a reply. */
async function leave(): Promise<void> {
  const leaving = new AbortController();
  const request = { ...json({ input: marker }), method: 'POST', signal: leaving.signal };
  const reader = (await fetch(`${server.origin}/agents/leaves/stream`, request)).body?.getReader();
  await reader?.read();
  leaving.abort();
  await expect
    .poll(async () => (await fetch(`${server.origin}/agents/leaves/history`)).json())
    .toMatchObject({ data: { entries: [{ status: 'aborted' }] } });
}

async function deny(send: (path: string, body: object) => Promise<Record<string, unknown>>): Promise<void> {
  const { data } = await send('/agents/asks/text', { input: marker });
  const [asked] = (data as { toolCalls: { toolCallId: string; approvalId: string; signature: string }[] }).toolCalls;
  const { approvalId, signature, toolCallId } = asked ?? expect.fail('no approval was requested');
  const answered = { type: 'tool-asking', toolCallId, state: 'approval-responded', input: { text: marker } };
  const approval = { id: approvalId, signature, approved: false, reason: marker };
  await send('/agents/asks/text', {
    input: [
      { role: 'user', parts: [{ type: 'text', text: marker }] },
      { id: 'a', role: 'assistant', parts: [{ ...answered, approval }] },
    ],
  });
}

it.each([
  ['nowhere', false],
  ['in spans and log records', true],
])('shows content %s with recordContent: %s', async (_, recordContent) => {
  const store = createInMemoryTelemetryStore();
  const app = parts();
  server = await serve([], {
    agents: app.agents,
    memory: app.memory,
    workflows: app.workflows,
    tools: [echo, broken, vague, guarded],
    logger: { level: 'trace', stream: { write: () => {} } },
    telemetry: { store, recordContent },
  });
  await useEverything(app);
  const histories = await Promise.all(
    app.agents.map(async ({ id }) => (await fetch(`${server.origin}/agents/${id}/history?limit=100`)).text()),
  );
  await server.close();

  const { traces } = await store.listTraces('anyone', { limit: 1000, offset: 0 });
  const spans = await Promise.all(traces.map(({ traceId }) => store.findTrace('anyone', traceId)));
  const { logs } = await store.listLogs('anyone', { limit: 1000, offset: 0 });
  const having = (records: readonly object[]): string[] =>
    records.map((record) => JSON.stringify(record)).filter((text) => text.includes(marker));
  const found = {
    spans: having(spans.flat()),
    logs: having(logs),
    histories: histories.filter((text) => text.includes(marker)),
  };
  const statuses = new Set(traces.map(({ status }) => status));

  expect(statuses).toEqual(new Set(['ok', 'error', 'aborted', 'refused']));
  if (recordContent) {
    expect(found.spans.length).toBeGreaterThan(50);
    expect(found.logs.length).toBeGreaterThan(10);
  } else expect(found).toEqual({ spans: [], logs: [], histories: [] });
});
