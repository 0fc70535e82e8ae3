import { type AgentEvent, createWorkflow } from '@halyard/core';
import { toUiChunks } from '@halyard/core/server';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Asked,
  modelResponse,
  paid,
  payingAgents,
  payingWorkflows,
  startAndAsk,
  uiResponse,
} from '../../../testing/approvals.ts';
import { answer, events, post } from '../../../testing/generation.ts';
import { isOnEngine, json, serve, type Served } from '../../../testing/serve.ts';
import { framesIn, gateOf, requestWorkflows } from '../../../testing/workflows.ts';

/** Users do not control its executions. */
const vault = createWorkflow({ id: 'vault', access: 'server', input: Type.Object({ say: Type.String() }) }).andAgent({
  id: 'buy',
  agent: payingAgents.find(({ id }) => id === 'cashier') ?? expect.fail('no cashier'),
  prompt: ({ data }) => data.say,
});

let server: Served;
let twin: Served;
beforeAll(async () => {
  const options = {
    agents: payingAgents,
    workflows: [...payingWorkflows, vault],
    storage: createInMemoryStorage(),
    secret: 'shared',
    userOf: ({ headers }: { headers: object }) =>
      'x-user' in headers && typeof headers['x-user'] === 'string' ? { id: headers['x-user'] } : undefined,
  };
  server = await serve([], options);
  // An engine chooses the server that runs an execution, and only that one has its live events.
  twin = isOnEngine ? server : await serve([], options);
});
afterAll(() => Promise.all([server.close(), twin.close()]));
beforeEach(() => {
  paid.length = 0;
});

const ask = (workflow: string, say: string, options: object = {}) => startAndAsk(server.origin, workflow, say, options);

async function stateOf(workflow: string, id: string): Promise<Record<string, unknown>> {
  return (await requestWorkflows(server.origin, `/${workflow}/executions/${id}`)).data;
}

/** Builds messages from chunks as `useChat` does. Throws the errors that `useChat` reports. */
async function read(stream: ReadableStream<UIMessageChunk>, continued?: UIMessage): Promise<UIMessage> {
  // The reader changes the message that it gets.
  const message = continued && structuredClone(continued);
  let last: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream, terminateOnError: true, ...(message && { message }) }))
    last = state;
  return last ?? expect.fail('the stream contained no message');
}

/** Sends messages as `useChat` does, and continues the last one with the reply. */
async function send(messages: UIMessage[], { agent = 'cashier', chatId = 'chat-1' } = {}): Promise<UIMessage> {
  const transport = new DefaultChatTransport<UIMessage>({ api: `${server.origin}/agents/${agent}/chat` });
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId,
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  return read(stream, messages.at(-1));
}

/** The message in `useChat` after the person has approved its calls. */
function approved(message: UIMessage): UIMessage {
  const parts = message.parts.map((part) =>
    isToolUIPart(part) && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved: true } }
      : part,
  );
  return { ...message, parts };
}

const notAccepted = {
  status: 400,
  code: 'APPROVAL_NOT_ACCEPTED',
  error: expect.stringContaining('is not accepted'),
};

async function refusal(input: unknown, { options = {}, headers = {}, path = 'chat' } = {}): Promise<unknown> {
  const request = json({ input, options });
  const response = await fetch(`${server.origin}/agents/cashier/${path}`, {
    ...request,
    headers: { ...request.headers, ...headers },
  });
  const { error } = (await response.json()) as { error: unknown };
  return { status: response.status, code: response.headers.get('x-error-code'), error };
}

describe('an answer in a chat', () => {
  it('of a user does not reach an execution of a workflow that only the server runs', async () => {
    const { executionId, suspensions } = await server.runtime.execute('vault', { say: 'pay 7' }, { userId: 'ada' });
    const asking: readonly { readonly suspendData?: unknown }[] = suspensions ?? [];
    const messages = modelResponse(asking.map(({ suspendData }) => suspendData as Asked));
    const asked = { options: { userId: 'ada' } };
    for (const path of ['chat', 'stream', 'text'])
      expect(await refusal(messages, { ...asked, headers: { 'x-user': 'ada' }, path })).toEqual(notAccepted);
    expect(await stateOf('vault', executionId)).toMatchObject({ status: 'suspended' });
    expect(paid).toEqual([]);
    // Without access control, a caller that names no user is an operator.
    const { status } = await fetch(`${server.origin}/agents/cashier/text`, json({ input: messages, ...asked }));
    expect([status, paid]).toEqual([200, [7]]);
  });

  it('continues the message that has the earlier work of the workflow’s agent', async () => {
    const options = { executionId: 'shown', conversationId: 'chat-1' };
    const response = await fetch(`${server.origin}/workflows/shop/stream`, json({ input: { say: 'pay 5' }, options }));
    const received = framesIn(await response.text()).flatMap(({ event }) =>
      event['type'] === 'agent-event' ? [event['event'] as AgentEvent] : [],
    );
    const shown = await read(
      ReadableStream.from(received.flatMap((event) => toUiChunks(event, 'm1'))) as ReadableStream<UIMessageChunk>,
    );
    expect(shown.parts.at(-1)).toMatchObject({ type: 'tool-pay', state: 'approval-requested' });
    const user: UIMessage = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'pay 5' }] };
    const message = await send([user, approved(shown)]);

    expect(message.id).toBe('m1');
    expect(message.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'text', text: 'One moment.' },
      { type: 'tool-pay', state: 'output-available', output: 'paid 5' },
      { type: 'step-start' },
      { type: 'text', text: expect.stringContaining('Result: '), state: 'done' },
    ]);
    expect(paid).toEqual([5]);
    expect(await stateOf('shop', 'shown')).toMatchObject({ status: 'completed' });
  });

  it('is followed by the chunks of one run', async () => {
    const { asked } = await ask('shop', 'pay 1');
    const { text } = await post(server.origin, 'cashier/chat', { input: uiResponse(asked) });
    const chunks = text.split('\n\n').map((frame) => frame.slice('data: '.length));
    expect(chunks.slice(-2)).toEqual(['[DONE]', '']);
    expect(chunks.slice(0, -2).map((chunk) => JSON.parse(chunk).type)).toEqual([
      'start',
      'tool-output-available',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(JSON.parse(chunks[0] ?? '')).toEqual({ type: 'start', messageId: 'a1' });
  });

  it('may be a denial, which is passed to the model', async () => {
    const { asked, id } = await ask('shop', 'pay 1', { conversationId: 'chat-1' });
    const message = await send(uiResponse(asked, false, 'too much') as UIMessage[]);
    expect(message.parts[0]).toMatchObject({ type: 'tool-pay', state: 'output-denied' });
    expect(message.parts.at(-1)).toMatchObject({ text: expect.stringContaining('too much') });
    expect([paid, (await stateOf('shop', id))['status']]).toEqual([[], 'completed']);
  });

  it('lets the agent request another approval in the same message', async () => {
    const { asked } = await ask('shop', 'pay 1, then 2', { conversationId: 'chat-1' });
    const message = await send(uiResponse(asked) as UIMessage[]);
    expect(message.parts.at(-1)).toMatchObject({ type: 'tool-pay', toolCallId: 'c2', state: 'approval-requested' });
    const end = await send([...uiResponse(asked).slice(0, 1), approved(message)] as UIMessage[]);
    expect(end.parts.at(-1)).toMatchObject({ type: 'text', text: expect.stringContaining('paid 2') });
    expect(paid).toEqual([1, 2]);
  });

  it('continues a sub-workflow, and sends the events of its agent', async () => {
    const { asked, id } = await ask('mall', 'pay 3', { conversationId: 'chat-1' });
    const message = await send(uiResponse(asked) as UIMessage[]);
    expect(message.parts.at(-1)).toMatchObject({ type: 'text', text: expect.stringContaining('paid 3') });
    expect(await stateOf('mall', id)).toMatchObject({ status: 'completed' });
  });

  it('reaches a sub-agent of the chat’s agent', async () => {
    const { asked, id } = await ask('office', 'go', { conversationId: 'chat-1' });
    const message = await send(uiResponse(asked) as UIMessage[], { agent: 'boss' });
    expect(message.parts.filter(({ type }) => type !== 'step-start')).toMatchObject([
      { type: 'tool-pay' },
      // The message with the approval request did not contain it.
      { type: 'tool-ask_cashier', state: 'output-available' },
      { type: 'text', text: 'All done.' },
    ]);
    expect([paid, (await stateOf('office', id))['status']]).toEqual([[1], 'completed']);
  });

  it('may contain answers for several steps, whose events follow one another', async () => {
    const { asked, id } = await ask('fair', '', { conversationId: 'chat-1' });
    expect(asked.length).toBe(2);
    const message = await send(uiResponse(asked) as UIMessage[]);
    const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    expect(texts).toEqual([expect.stringContaining('paid 1'), expect.stringContaining('paid 2')]);
    expect(await stateOf('fair', id)).toMatchObject({ status: 'completed' });
  });

  it('sends the failure of a step as an error', async () => {
    const { asked } = await ask('clumsy', 'go');
    const { text } = await post(server.origin, 'clumsy/chat', { input: uiResponse(asked) });
    const errorText = 'Step "buy" failed: The model of agent "clumsy" failed';
    expect(text.split('\n\n').slice(-3)).toEqual([
      `data: ${JSON.stringify({ type: 'error', errorText })}`,
      'data: [DONE]',
      '',
    ]);
  });
});

describe('an answer of a raw client', () => {
  it('is followed by the events of one run', async () => {
    const { asked } = await ask('shop', 'pay 1');
    const received = await events(server.origin, 'cashier/stream', { input: modelResponse(asked) });
    expect(received.map(({ type }) => type)).toEqual([
      'start',
      'tool-result',
      'finish-step',
      'start-step',
      'text-start',
      'text-delta',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(received.at(-1)).toMatchObject({ finishReason: 'stop' });
  });

  it('returns the text after the approval', async () => {
    const { asked } = await ask('shop', 'pay 1');
    expect(await answer(server.origin, 'cashier/text', { input: modelResponse(asked) })).toMatchObject({
      data: {
        text: expect.stringMatching(/^Result: .*paid 1/),
        finishReason: 'stop',
        toolCalls: [],
        toolResults: [{ toolCallId: 'c1', toolName: 'pay', input: { euros: 1 }, output: 'paid 1' }],
      },
    });
  });

  it('returns the next approval request, which can be answered too', async () => {
    const { asked } = await ask('shop', 'pay 1, then 2', { conversationId: 'talk' });
    const body = { input: modelResponse(asked), options: { conversationId: 'talk' } };
    const { data } = (await answer(server.origin, 'cashier/text', body)) as { data: { toolCalls: Asked[] } };
    expect(data).toMatchObject({
      text: 'One moment.',
      finishReason: 'tool-calls',
      toolCalls: [{ toolCallId: 'c2', approvalId: expect.any(String), signature: expect.any(String) }],
      conversationId: 'talk',
    });
    const next = { input: modelResponse(data.toolCalls), options: { conversationId: 'talk' } };
    expect(await answer(server.origin, 'cashier/text', next)).toMatchObject({ data: { finishReason: 'stop' } });
    expect(paid).toEqual([1, 2]);
  });

  it('may be for one of several calls', async () => {
    const { asked } = await ask('shop', 'pay 1 2');
    const [first, second] = asked.map((one) => [one]);
    const received = await events(server.origin, 'cashier/stream', { input: modelResponse(second ?? []) });
    expect(received.map(({ type }) => type)).toEqual(['start', 'tool-result', 'finish']);
    expect(received.at(-1)).toMatchObject({ finishReason: 'tool-calls' });
    const end = await answer(server.origin, 'cashier/text', { input: modelResponse(first ?? []) });
    expect(end).toMatchObject({ data: { finishReason: 'stop', toolResults: [{ output: 'paid 1' }] } });
    expect(paid).toEqual([2, 1]);
  });

  it('is followed to the end of a step that is retried', async () => {
    const { asked } = await ask('stubborn', 'go');
    const received = await events(server.origin, 'stubborn/stream', { input: modelResponse(asked) });
    expect(received.some(({ type }) => type === 'error')).toBe(false);
    expect(received.slice(-3)).toMatchObject([{ type: 'text-end' }, { type: 'finish-step' }, { type: 'finish' }]);
    expect(received.flatMap(({ delta }) => delta ?? [])).toEqual(['We', 'Well.']);
    expect(paid).toEqual([1]);
  });

  it('returns no text of a failed attempt', async () => {
    const { asked } = await ask('stammering', 'go');
    const received = await answer(server.origin, 'stammerer/text', { input: modelResponse(asked) });
    expect(received).toMatchObject({ data: { text: 'Well.', finishReason: 'stop' } });
  });

  it('returns the step that failed', async () => {
    const { asked } = await ask('clumsy', 'go');
    const { status, headers, text } = await post(server.origin, 'clumsy/text', { input: modelResponse(asked) });
    expect([status, headers.get('x-error-code')]).toEqual([500, 'STEP_FAILED']);
    expect(JSON.parse(text)).toMatchObject({ error: 'Step "buy" failed: The model of agent "clumsy" failed' });
  });

  it('ends when the execution is cancelled', async () => {
    for (const [format, gate] of [
      ['stream', 'cancel-stream'],
      ['text', 'cancel-text'],
    ] as const) {
      const { asked, id } = await ask('shop', `pay 1 at ${gate}`);
      const answering = post(server.origin, `cashier/${format}`, { input: modelResponse(asked) });
      await gateOf(gate).entered;
      const cancelled = requestWorkflows(server.origin, `/shop/executions/${id}/cancel`, {});
      const { text } = await answering;
      gateOf(gate).open();
      expect(await cancelled).toMatchObject({ status: 200 });
      if (format === 'stream') expect(text).toMatch(/data: {"type":"abort"}\n\n$/);
      else expect(JSON.parse(text)).toMatchObject({ data: { text: '', finishReason: 'other', toolResults: [] } });
    }
  });
});

describe('an answer is refused', () => {
  it('when it was already given by any route', async () => {
    const { asked, id } = await ask('shop', 'pay 1');
    expect((await post(server.origin, 'cashier/chat', { input: uiResponse(asked) })).status).toBe(200);
    expect(await refusal(uiResponse(asked))).toEqual(notAccepted);
    const other = await ask('shop', 'pay 1');
    const options = { stepId: other.asked[0]?.approvalId };
    const resumed = await requestWorkflows(server.origin, `/shop/executions/${other.id}/resume`, {
      resumeData: { approved: true },
      options,
    });
    expect(resumed).toMatchObject({ status: 200, data: { status: 'completed' } });
    expect(await refusal(uiResponse(other.asked))).toEqual(notAccepted);
    expect(paid).toEqual([1, 1]);
    expect(await stateOf('shop', id)).toMatchObject({ status: 'completed' });
  });

  it('of all but one of several simultaneous requests', async () => {
    const { asked } = await ask('shop', 'pay 1');
    const inputs = [uiResponse(asked), modelResponse(asked), uiResponse(asked, false), modelResponse(asked, false)];
    const answers = await Promise.all(inputs.map((input) => post(server.origin, 'cashier/text', { input })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400]);
    expect(paid.length).toBeLessThan(2);
  });

  it('from another user, and in another conversation', async () => {
    const { asked, id } = await startAndAsk(
      server.origin,
      'shop',
      'pay 1',
      { conversationId: 'hers' },
      { 'x-user': 'ada' },
    );
    const options = { conversationId: 'hers' };
    const input = uiResponse(asked);
    expect(await refusal(input, { options, headers: { 'x-user': 'eve' } })).toEqual(notAccepted);
    expect(await refusal(input, { options })).toEqual(notAccepted);
    expect(await refusal(input, { headers: { 'x-user': 'ada' } })).toEqual(notAccepted);
    expect(paid).toEqual([]);
    // Without access control, a request may access every execution, and names its user.
    const request = { input, options: { ...options, userId: 'ada' } };
    expect((await post(server.origin, 'cashier/text', request)).status).toBe(200);
    expect(await stateOf('shop', id)).toMatchObject({ status: 'completed' });
  });

  it('when the execution has ended', async () => {
    const { asked, id } = await ask('shop', 'pay 1');
    expect(await requestWorkflows(server.origin, `/shop/executions/${id}/cancel`, {})).toMatchObject({ status: 200 });
    expect(await refusal(uiResponse(asked))).toEqual(notAccepted);
    expect(paid).toEqual([]);
  });

  it('when another one in the request is refused: nothing is resumed', async () => {
    const { asked } = await ask('shop', 'pay 1 2');
    const [first] = asked;
    const over = await ask('shop', 'pay 3');
    await requestWorkflows(server.origin, `/shop/executions/${over.id}/cancel`, {});
    expect(await refusal(uiResponse([...asked, ...over.asked]))).toEqual(notAccepted);
    expect(await refusal(uiResponse([...asked, { ...first, signature: 'x' } as Asked]))).toEqual(notAccepted);
    expect(paid).toEqual([]);
    expect((await post(server.origin, 'cashier/text', { input: uiResponse(asked) })).status).toBe(200);
    expect(paid).toEqual([1, 2]);
  });
});

describe('the resume route', () => {
  it('accepts an approvalId as the stepId when several approvals are pending', async () => {
    const { asked, id } = await ask('shop', 'pay 1 2');
    const path = `/shop/executions/${id}/resume`;
    for (const { approvalId } of asked.toReversed())
      expect(
        await requestWorkflows(server.origin, path, {
          resumeData: { approved: true },
          options: { stepId: approvalId },
        }),
      ).toMatchObject({ status: 200 });
    expect(paid).toEqual([2, 1]);
  });

  it.each([['x'.repeat(2_049)], ['']])('refuses a step id that is too long', async (stepId) => {
    const { id } = await ask('shop', 'pay 1');
    const body = { resumeData: { approved: true }, options: { stepId } };
    expect(await requestWorkflows(server.origin, `/shop/executions/${id}/resume`, body)).toMatchObject({
      status: 400,
      error: expect.stringContaining('body/options/stepId'),
    });
  });
});

describe('a client that disconnects', () => {
  it.each(['chat', 'stream', 'text'])('does not end the execution: %s', async (format) => {
    const gate = `left-${format}`;
    const { asked, id } = await ask('shop', `pay 1 at ${gate}`);
    const client = new AbortController();
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    server.app.server.once('request', (_, response) => response.once('close', leave));
    const request = { ...json({ input: modelResponse(asked) }), signal: client.signal };
    const answering = fetch(`${server.origin}/agents/cashier/${format}`, request).then((response) => response.text());
    const signal = await gateOf(gate).entered;
    client.abort();
    await expect(answering).rejects.toThrow();
    await left;
    expect(signal.aborted).toBe(false);
    const received = fetch(`${server.origin}/workflows/shop/executions/${id}/stream`).then((response) =>
      response.text(),
    );
    gateOf(gate).open();
    expect(framesIn(await received).at(-1)?.event).toMatchObject({ type: 'workflow-result', status: 'completed' });
    expect(paid).toEqual([1]);
  });
});

describe.skipIf(isOnEngine)('an execution that another process runs', () => {
  /**
   * An execution on the first server: one branch runs a step, the agent in the other waits for an
   * approval.
   */
  async function askBusy(say: string, gate: string): Promise<readonly Asked[]> {
    const body = json({ input: { say, gate }, options: { executionId: gate } });
    const response = await fetch(`${server.origin}/workflows/busy/stream`, body);
    const { promise, resolve } = Promise.withResolvers<Asked>();
    void response.body?.pipeThrough(new TextDecoderStream()).pipeTo(
      new WritableStream({
        write: (text) => {
          for (const { event } of framesIn(text))
            if (event['type'] === 'workflow-suspended')
              resolve((event['suspension'] as { suspendData: Asked }).suspendData);
        },
      }),
    );
    return [await promise];
  }

  it('sends the text when the step is complete', async () => {
    const asked = await askBusy('pay 1', 'busy-text');
    const received = await events(twin.origin, 'cashier/stream', { input: modelResponse(asked) });
    expect(received.map(({ type }) => type)).toEqual([
      'start',
      'start-step',
      'text-start',
      'text-delta',
      'text-end',
      'finish-step',
      'finish',
    ]);
    expect(received[3]).toMatchObject({ delta: expect.stringContaining('paid 1') });
    gateOf('busy-text').open();
  });

  it('sends the next approval request, although the execution is still running', async () => {
    const asked = await askBusy('pay 1, then 2', 'busy-again');
    const received = await events(twin.origin, 'cashier/stream', { input: modelResponse(asked) });
    expect(received).toMatchObject([
      { type: 'start' },
      { type: 'tool-call', toolCallId: 'c2', approvalId: expect.any(String), signature: expect.any(String) },
      { type: 'finish', finishReason: 'tool-calls' },
    ]);
    gateOf('busy-again').open();
  });
});

it('stops following when the server shuts down', async () => {
  const stopping = await serve([], {
    agents: payingAgents,
    workflows: payingWorkflows,
    limits: { shutdownGraceMs: 1 },
  });
  const { asked } = await startAndAsk(stopping.origin, 'shop', 'pay 1 at stopping');
  const answering = fetch(`${stopping.origin}/agents/cashier/text`, json({ input: modelResponse(asked) }));
  await gateOf('stopping').entered;
  const closing = stopping.close();
  const response = await answering;
  expect([response.status, response.headers.get('x-error-code')]).toEqual([503, 'SHUTTING_DOWN']);
  gateOf('stopping').open();
  await closing;
});
