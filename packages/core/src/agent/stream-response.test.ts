import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Type } from '@sinclair/typebox';
import {
  createTextStreamResponse,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  readUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { scriptedModel, silentLogger, type ScriptedReply } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';
import { Agent } from './agent.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const services = { logger: silentLogger };
const agentOf = (...replies: [ScriptedReply, ...ScriptedReply[]]): Agent =>
  new Agent({ id: 'a', model: scriptedModel(...replies) });
const started = (agent: Agent) => agent.streamText('Hi', { services });
const endless: ScriptedReply = { text: Array.from({ length: 5_000 }, () => 'x') };
const failing: ScriptedReply = { text: ['Half'], error: new RangeError('secret'), failAfterText: true };

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function serve(handle: (response: ServerResponse) => Promise<void>): Promise<string> {
  const server = createServer((_request, response) => void handle(response));
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the streams of a run', () => {
  it('are the text, and the events', async () => {
    const twoSteps = (): Agent =>
      new Agent({
        id: 'a',
        tools: [createTool({ name: 'look', description: '', input: Type.Object({}), execute: () => 'seen' })],
        model: scriptedModel({ text: ['Let ', 'me see.'], toolCalls: [{ toolName: 'look', input: {} }] }, 'Done.'),
      });
    expect((await all((await started(twoSteps())).textStream)).join('')).toBe('Let me see.\n\nDone.');
    expect((await all((await started(twoSteps())).fullStream)).map(({ type }) => type)).toContain('tool-result');
  });

  it('abort the run when their reader leaves, even before the model has said anything', async () => {
    const model = scriptedModel({ hangs: true });
    const run = await started(new Agent({ id: 'a', model }));
    const reader = run.textStream.getReader();
    const pending = reader.read();
    await expect.poll(() => model.calls.length).toBe(1);
    await reader.cancel();
    expect(await pending).toEqual({ done: true, value: undefined });
    await expect(run.result).rejects.toMatchObject({ code: 'ABORTED' });
    expect(model.abortsSeen).toBe(1);
  });

  it('fail as the run does', async () => {
    const run = await started(agentOf(failing));
    await expect(all(run.textStream)).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    await expect(run.text).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });

  it('can be read once', async () => {
    const run = await started(agentOf('Hello.'));
    const { textStream, fullStream } = run;
    expect(await all(textStream)).toEqual(['Hello.']);
    await expect(all(fullStream)).rejects.toThrow('can be read once');
    expect(() => run[Symbol.asyncIterator]()).toThrow('can be read once');
  });
});

describe('the values of a run', () => {
  it('read the events to their end if nobody does', async () => {
    const { finishReason, text, usage } = await started(agentOf(endless));
    expect([(await text).length, await finishReason]).toEqual([5_000, 'stop']);
    expect(await usage).toMatchObject({ totalTokens: expect.any(Number) });
  });

  it('leave the events to their reader', async () => {
    const { text, textStream } = await started(agentOf('Hello.'));
    const [read, whole] = await Promise.all([all(textStream), text]);
    expect([read, whole]).toEqual([['Hello.'], 'Hello.']);
  });
});

describe('the response to `useChat`', () => {
  const pay = createTool({
    name: 'pay',
    description: '',
    input: Type.Object({}),
    needsApproval: true,
    execute: () => 'paid',
  });
  const cashier = (): Agent =>
    new Agent({
      id: 'cashier',
      tools: [pay],
      model: scriptedModel({ text: ['One moment.'], toolCalls: [{ toolName: 'pay', input: {} }] }, 'Paid.'),
    });

  /** Sends a chat as `useChat` does, and returns the message of the assistant. */
  async function chat(agent: Agent, messages: UIMessage[]): Promise<UIMessage | undefined> {
    const transport = new DefaultChatTransport({
      fetch: async (_url, init) => {
        const { messages: sent } = JSON.parse(init?.body as string) as { messages: UIMessage[] };
        return (await agent.streamText(sent, { services })).toUIMessageStreamResponse();
      },
    });
    const [last] = messages.slice(-1);
    const stream = await transport.sendMessages({
      trigger: 'submit-message',
      chatId: 'c',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    const written = await all(readUIMessageStream({ stream, ...(last?.role === 'assistant' && { message: last }) }));
    return written.at(-1);
  }

  it('is understood by its transport, approvals included', async () => {
    const agent = cashier();
    const question: UIMessage = { id: 'q', role: 'user', parts: [{ type: 'text', text: 'Pay.' }] };
    const asked = await chat(agent, [question]);
    const answered = {
      ...asked,
      parts: asked?.parts.map((part) =>
        part.type === 'tool-pay' && part.state === 'approval-requested'
          ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
          : part,
      ),
    } as UIMessage;
    expect(lastAssistantMessageIsCompleteWithApprovalResponses({ messages: [question, answered] })).toBe(true);
    const paid = await chat(agent, [question, answered]);
    expect(paid?.id).toBe(asked?.id);
    expect(paid?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'One moment.' },
      { type: 'tool-pay', state: 'output-available', output: 'paid' },
      { type: 'step-start' },
      { type: 'text', text: 'Paid.' },
    ]);
  });

  it('is that of the AI SDK', async () => {
    const chunks = await all((await started(agentOf('Hello.'))).toUIMessageStream());
    const theirs = createUIMessageStreamResponse({ stream: ReadableStream.from<UIMessageChunk>(chunks) });
    const ours = (await started(agentOf('Hello.'))).toUIMessageStreamResponse();
    const [, id] = /"messageId":"([^"]+)"/.exec(JSON.stringify(chunks)) ?? [];
    const text = await ours.text();
    expect(text.replace(/"messageId":"[^"]+"/, `"messageId":"${id}"`)).toBe(await theirs.text());
    const expected = { ...Object.fromEntries(theirs.headers), 'cache-control': 'no-cache, no-transform' };
    expect({ connection: 'keep-alive', ...Object.fromEntries(ours.headers) }).toEqual(expected);
  });

  it('takes a status and headers', async () => {
    const init = { status: 201, headers: { 'X-Mine': '1', 'Cache-Control': 'private' } };
    const response = (await started(agentOf('Hello.'))).toUIMessageStreamResponse(init);
    expect([response.status, response.headers.get('x-mine'), response.headers.get('cache-control')]).toEqual([
      201,
      '1',
      'private',
    ]);
    await response.body?.cancel();
  });

  it('ends with an error chunk when the run fails', async () => {
    const response = (await started(agentOf(failing))).toUIMessageStreamResponse();
    const text = await response.text();
    expect(text).toMatch(/data: \{"type":"error","errorText":"The model of agent .+ failed"\}\n\ndata: \[DONE\]\n\n$/);
    expect(text).not.toContain('secret');
  });

  it('aborts the run when its client leaves', async () => {
    const model = scriptedModel({ text: 'Half', hangs: true });
    const run = await started(new Agent({ id: 'a', model }));
    const reader = run.toUIMessageStreamResponse().body?.getReader();
    await reader?.read();
    await reader?.cancel();
    await expect(run.result).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('the response of plain text', () => {
  it('is that of the AI SDK', async () => {
    const theirs = createTextStreamResponse({ stream: ReadableStream.from<string>(['Hello.']) });
    const ours = (await started(agentOf('Hello.'))).toTextStreamResponse();
    expect(ours.headers.get('content-type')).toBe(theirs.headers.get('content-type'));
    expect(await ours.text()).toBe(await theirs.text());
  });

  it('breaks off when the run fails', async () => {
    const response = (await started(agentOf(failing))).toTextStreamResponse();
    await expect(response.text()).rejects.toMatchObject({ code: 'MODEL_FAILED' });
  });
});

describe('a server of Node', () => {
  it('sends either response', async () => {
    const chat = await serve(async (response) =>
      (await started(agentOf('Hello.'))).pipeUIMessageStreamToResponse(response),
    );
    const reply = await fetch(chat);
    expect(reply.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    expect(await reply.text()).toContain('"delta":"Hello."');
    const text = await serve(async (response) =>
      (await started(agentOf('Hello.'))).pipeTextStreamToResponse(response, { status: 202 }),
    );
    const plain = await fetch(text);
    expect([plain.status, await plain.text()]).toEqual([202, 'Hello.']);
  });

  it('aborts the run when its client leaves, and resolves', async () => {
    const run = await started(agentOf({ text: 'Half', hangs: true }));
    const ended = Promise.withResolvers<void>();
    const url = await serve((response) => run.pipeUIMessageStreamToResponse(response).then(ended.resolve));
    const client = new AbortController();
    const reply = await fetch(url, { signal: client.signal });
    await reply.body?.getReader().read();
    client.abort();
    await ended.promise;
    await expect(run.result).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('breaks the connection off when the text fails', async () => {
    const url = await serve(async (response) => (await started(agentOf(failing))).pipeTextStreamToResponse(response));
    await expect(fetch(url).then((reply) => reply.text())).rejects.toThrow();
  });
});
