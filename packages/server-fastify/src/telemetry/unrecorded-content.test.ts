import { silentLogger } from '@halyard/contracts';
import { Agent, createMemory, createTool, createWorkflow } from '@halyard/core';
import { keywordEmbedding, scriptedModel } from '@halyard/core/testing';
import { createInMemoryTelemetryStore, createInMemoryVectorStore } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { afterEach, expect, it } from 'vitest';
import { json, serve, type Served } from '../testing/serve.ts';

let server: Served;
afterEach(() => server.close());

/** Stands in each place that may contain content. */
const marker = 'cobalt-4711';

/** As the AI SDK's providers throw it: with the request, and the answer of the provider. */
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
  return { agents, memory, workflows };
}

/** Calls every kind of operation, and reads its whole answer. */
async function useEverything({ agents, memory }: ReturnType<typeof parts>): Promise<void> {
  const send = async (path: string, body: object, method = 'POST'): Promise<Record<string, unknown>> => {
    const reply = await fetch(`${server.origin}${path}`, { ...json(body), method });
    const text = await reply.text();
    return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
  };
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const options = { userId: 'ada', conversationId: 'c1', context: { marker }, stopSequences: [marker], maxSteps: 20 };
  for (const { id } of agents) {
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

  const message = { role: 'user', parts: [{ type: 'text', text: marker }], conversationId: 'c1', userId: 'ada' };
  await send('/api/memory/save-messages', { messages: [message] });
  await send('/api/memory/conversations/c1/working-memory', { content: { [marker]: marker }, mode: 'append' });
  await (await fetch(`${server.origin}/api/memory/search?searchQuery=${marker}&query=${marker}`)).text();
  await memory.flush();
}

it.each([
  ['nowhere', false],
  ['in spans and log records', true],
])('shows content %s with recordContent: %s', async (_, recordContent) => {
  const store = createInMemoryTelemetryStore();
  const app = parts();
  server = await serve([], {
    ...app,
    tools: [echo, broken, vague, guarded],
    logger: { level: 'trace', stream: { write: () => {} } },
    telemetry: { store, recordContent },
  });
  await useEverything(app);
  await server.close();

  const { traces } = await store.listTraces('anyone', { limit: 1000, offset: 0 });
  const spans = await Promise.all(traces.map(({ traceId }) => store.findTrace('anyone', traceId)));
  const { logs } = await store.listLogs('anyone', { limit: 1000, offset: 0 });
  const having = (records: readonly object[]): string[] =>
    records.map((record) => JSON.stringify(record)).filter((text) => text.includes(marker));
  const found = { spans: having(spans.flat()), logs: having(logs) };
  const statuses = new Set(traces.map(({ status }) => status));

  expect(statuses).toEqual(new Set(['ok', 'error', 'refused']));
  if (recordContent) {
    expect(found.spans.length).toBeGreaterThan(50);
    expect(found.logs.length).toBeGreaterThan(10);
  } else expect(found).toEqual({ spans: [], logs: [] });
});
