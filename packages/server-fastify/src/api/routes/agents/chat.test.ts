import { Agent, createTool } from '@halyard/core';
import { type ScriptedReply, scriptedModel } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { DefaultChatTransport, getToolName, isToolUIPart, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { json, serve, type Served } from '../../../testing/serve.ts';

const paid: unknown[] = [];
const City = Type.Object({ city: Type.String() });
const weather = createTool({
  name: 'getWeather',
  description: '',
  input: City,
  execute: ({ city }) => ({ city, degrees: 21 }),
});
const broken = createTool({
  name: 'broken',
  description: '',
  input: City,
  execute: () => {
    throw new RangeError('no such city');
  },
});
const location = createTool({ name: 'getLocation', description: '', input: Type.Object({}) });
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: true,
  execute: (input, { conversationId }) => {
    paid.push({ ...input, conversationId });
    return 'paid';
  },
});

const track = createTool({
  name: 'track',
  description: '',
  input: Type.Object({}),
  execute: async (_, { writer }) => {
    await writer.write({ type: 'data-status', id: 's', data: 'packed' });
    await writer.write({ type: 'data-hint', data: 'Nearly there', transient: true });
    await writer.write({ type: 'data-status', id: 's', data: 'sent' });
    return 'tracked';
  },
});

/** Calls the tools that the last user message names, and answers with their results. */
const act: ScriptedReply = ({ prompt }) => {
  const last = prompt.at(-1);
  if (last?.role === 'tool')
    return {
      text: [
        'Result: ',
        JSON.stringify(last.content.map((part) => (part.type === 'tool-result' ? part.output : part))),
      ],
    };
  const asked = JSON.stringify(last?.content);
  if (asked.includes('weather'))
    return { reasoning: 'Hm.', toolCalls: [{ toolName: 'getWeather', input: { city: 'Rome' } }] };
  if (asked.includes('track')) return { toolCalls: [{ toolName: 'track', input: {} }] };
  if (asked.includes('unfit')) return { toolCalls: [{ toolName: 'getWeather', input: { city: 5 } }] };
  if (asked.includes('broken')) return { toolCalls: [{ toolName: 'broken', input: { city: 'Rome' } }] };
  if (asked.includes('where')) return { toolCalls: [{ toolName: 'getLocation', input: {} }] };
  if (asked.includes('pay')) return { toolCalls: [{ toolName: 'pay', toolCallId: 'c1', input: { euros: 5 } }] };
  return 'Hello.';
};
const model = scriptedModel(act);

const run = { toolCallId: 'run', toolName: 'code_execution' };
const codeExecution = {
  type: 'provider',
  id: 'anthropic.code_execution',
  args: {},
  isProviderExecuted: true,
  supportsDeferredResults: true,
} as const;
const tools = [weather, broken, location, pay, track];
const agents = [
  new Agent({ id: 'chat', model, tools }),
  new Agent({ id: 'other', model, tools }),
  new Agent({
    id: 'coder',
    model: scriptedModel(
      { parts: [{ type: 'tool-call', ...run, input: '{"code":"1"}', providerExecuted: true }] },
      { text: 'One.', parts: [{ type: 'tool-result', ...run, result: 1 }] },
    ),
    tools: [codeExecution],
    maxSteps: 1,
  }),
  new Agent({
    id: 'breaking',
    model: scriptedModel({ text: ['so far'], error: new RangeError('secret'), failAfterText: true }),
  }),
];

let server: Served;
let forgetful: Served;
beforeAll(async () => {
  server = await serve([], { agents, secret: 'first' });
  forgetful = await serve([], { agents, secret: 'first', approvalExpiryMs: -1 });
});
afterAll(async () => {
  await server.close();
  await forgetful.close();
});

const user = (text: string): UIMessage => ({ id: 'u1', role: 'user', parts: [{ type: 'text', text }] });

/**
 * Sends messages and reads the reply as `useChat` does. Throws the errors that `useChat` reports.
 */
async function send(
  messages: UIMessage[],
  { agent = 'chat', chatId = 'chat-1', from = server } = {},
): Promise<UIMessage> {
  const transport = new DefaultChatTransport<UIMessage>({ api: `${from.origin}/agents/${agent}/chat` });
  const stream = await transport.sendMessages({
    trigger: 'submit-message',
    chatId,
    messageId: undefined,
    messages,
    abortSignal: undefined,
  });
  // The reader changes the message that it gets.
  const continued = messages.at(-1)?.role === 'assistant' ? structuredClone(messages.at(-1)) : undefined;
  let answer: UIMessage | undefined;
  for await (const state of readUIMessageStream({
    stream,
    terminateOnError: true,
    ...(continued && { message: continued }),
  }))
    answer = state;
  return answer ?? expect.fail('the stream had no message');
}

const textOf = ({ parts }: UIMessage): string =>
  parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');

/** The message in `useChat` after the person has replied. */
function answered(message: UIMessage, approved: boolean, reason?: string): UIMessage {
  const parts = message.parts.map((part) => {
    if (!isToolUIPart(part) || part.state !== 'approval-requested') return part;
    return {
      ...part,
      state: 'approval-responded' as const,
      approval: { ...part.approval, approved, ...(reason !== undefined && { reason }) },
    };
  });
  return { ...message, parts };
}

it('speaks the UI message stream of the AI SDK', async () => {
  const response = await fetch(`${server.origin}/agents/chat/chat`, json({ input: [user('hi')] }));

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
  const frames = (await response.text()).split('\n\n');
  expect(frames.slice(-2)).toEqual(['data: [DONE]', '']);
  expect(frames.slice(0, -2).map((frame) => JSON.parse(frame.slice('data: '.length)))).toEqual([
    { type: 'start', messageId: expect.stringMatching(/^[\w-]+$/) },
    { type: 'start-step' },
    { type: 'text-start', id: 't0' },
    { type: 'text-delta', id: 't0', delta: 'Hello.' },
    { type: 'text-end', id: 't0' },
    { type: 'finish-step' },
    {
      type: 'finish',
      finishReason: 'stop',
      messageMetadata: { usage: expect.objectContaining({ totalTokens: 15 }), modelId: 'scripted' },
    },
  ]);
});

it('gives useChat the tokens and the model of an answer as metadata of its message', async () => {
  const answer = await send([user('hi')]);

  expect(answer.metadata).toEqual({ usage: expect.objectContaining({ totalTokens: 15 }), modelId: 'scripted' });
});

it('makes data that a tool writes a part of the message, and accepts the message with the next question', async () => {
  const answer = await send([user('track')]);

  expect(answer.parts.filter(({ type }) => type.startsWith('data-'))).toEqual([
    { type: 'data-status', id: 's', data: 'sent' },
  ]);
  expect(textOf(await send([user('track'), answer, { ...user('hi'), id: 'u2' }]))).toBe('Hello.');
});

it('runs a tool that writes data without a chat', async () => {
  const response = await fetch(`${server.origin}/tools/track/execute`, json({ input: {} }));

  expect(await response.json()).toMatchObject({ success: true, data: { result: 'tracked' } });
});

it('makes one message of a tool round trip', async () => {
  const answer = await send([user('weather?')]);

  expect(answer.role).toBe('assistant');
  expect(answer.id).not.toBe('');
  expect(answer.parts).toEqual([
    { type: 'step-start' },
    expect.objectContaining({ type: 'reasoning', text: 'Hm.', state: 'done' }),
    expect.objectContaining({
      type: 'tool-getWeather',
      state: 'output-available',
      input: { city: 'Rome' },
      output: { city: 'Rome', degrees: 21 },
    }),
    { type: 'step-start' },
    expect.objectContaining({
      type: 'text',
      text: 'Result: [{"type":"json","value":{"city":"Rome","degrees":21}}]',
      state: 'done',
    }),
  ]);
});

it('continues a conversation from all of its messages', async () => {
  const first = await send([user('weather?')]);
  expect(textOf(await send([user('weather?'), first, { ...user('thanks'), id: 'u2' }]))).toBe('Hello.');
  expect(model.calls.at(-1)?.prompt.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ]);
});

it('shows failed tools and invalid calls', async () => {
  expect((await send([user('broken')])).parts[1]).toMatchObject({
    type: 'tool-broken',
    state: 'output-error',
    errorText: 'no such city',
  });
  expect((await send([user('unfit')])).parts[1]).toMatchObject({
    type: 'tool-getWeather',
    state: 'output-error',
    errorText: 'Invalid arguments for tool "getWeather": input/city must be string',
  });
});

it('leaves a tool without execute to the client and continues with its result', async () => {
  const asked = await send([user('where?')]);
  expect(asked.parts[1]).toMatchObject({ type: 'tool-getLocation', state: 'input-available' });

  const parts = asked.parts.map((part) =>
    isToolUIPart(part) && getToolName(part) === 'getLocation'
      ? { ...part, state: 'output-available', output: 'Rome' }
      : part,
  );
  const answer = await send([user('where?'), { ...asked, parts } as UIMessage]);

  expect(answer.id).toBe(asked.id);
  expect(textOf(answer)).toBe('Result: [{"type":"text","value":"Rome"}]');
});

it('runs an approved tool in the message that requested the approval', async () => {
  const asked = await send([user('pay')], { chatId: 'approve' });
  expect(asked.parts[1]).toMatchObject({
    type: 'tool-pay',
    state: 'approval-requested',
    approval: { id: expect.stringMatching(/^[^.]+\.\d+\.[\w-]{43}$/) },
  });
  const before = paid.length;

  const answer = await send([user('pay'), answered(asked, true)], { chatId: 'approve' });

  expect(paid.slice(before)).toEqual([{ euros: 5, conversationId: 'approve' }]);
  expect(answer.id).toBe(asked.id);
  expect(answer.parts[1]).toMatchObject({ type: 'tool-pay', state: 'output-available', output: 'paid' });
  expect(textOf(answer)).toBe('Result: [{"type":"text","value":"paid"}]');
});

it('passes the denial to the model, and runs no tool', async () => {
  const asked = await send([user('pay')]);
  const before = paid.length;

  const answer = await send([user('pay'), answered(asked, false, 'too much')]);

  expect(paid.length).toBe(before);
  expect(answer.id).toBe(asked.id);
  expect(answer.parts[1]).toMatchObject({ type: 'tool-pay', state: 'output-denied' });
  expect(textOf(answer)).toContain('too much');
});

it('lets raw clients approve with the model message of the AI SDK', async () => {
  const stream = await fetch(`${server.origin}/agents/chat/stream`, json({ input: 'pay' }));
  const events = (await stream.text())
    .split('\n\n')
    .flatMap((frame) => (frame === '' ? [] : [JSON.parse(frame.slice('data: '.length))]));
  const { approvalId, input, signature, toolCallId, toolName } = events.find(({ type }) => type === 'tool-call');
  const asked = [
    { role: 'user', content: 'pay' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true, signature }] },
  ];

  const response = await fetch(`${server.origin}/agents/chat/text`, json({ input: asked }));

  expect(await response.json()).toMatchObject({
    data: { text: 'Result: [{"type":"text","value":"paid"}]', toolResults: [{ toolCallId: 'c1', output: 'paid' }] },
  });
});

async function refusal(
  message: UIMessage,
  options: { agent?: string; chatId?: string; from?: Served } = {},
): Promise<unknown> {
  const { agent = 'chat', chatId = 'chat-1', from = server } = options;
  const before = paid.length;
  const response = await fetch(
    `${from.origin}/agents/${agent}/chat`,
    json({ id: chatId, messages: [user('pay'), message] }),
  );
  expect(paid.length).toBe(before);
  return {
    status: response.status,
    code: response.headers.get('x-error-code'),
    ...((await response.json()) as object),
  };
}

const notAccepted = {
  status: 400,
  code: 'APPROVAL_NOT_ACCEPTED',
  success: false,
  error: expect.stringContaining('is not accepted'),
};

it('accepts an approval once', async () => {
  const approved = answered(await send([user('pay')]), true);
  await send([user('pay'), approved]);

  expect(await refusal(approved)).toEqual(notAccepted);
});

it('refuses an approval that is forged or for something else', async () => {
  const approved = answered(await send([user('pay')]), true);
  const changed = (fields: object): UIMessage => ({
    ...approved,
    parts: approved.parts.map((part) => (isToolUIPart(part) ? { ...part, ...fields } : part)),
  });
  const part = approved.parts.find(isToolUIPart);

  expect(await refusal(changed({ input: { euros: 5000 } }))).toEqual(notAccepted);
  expect(await refusal(changed({ toolCallId: 'c2' }))).toEqual(notAccepted);
  expect(await refusal(changed({ type: 'tool-broken' }))).toEqual(notAccepted);
  expect(await refusal(changed({ approval: { ...part?.approval, signature: '9999999999999.AAAA' } }))).toEqual(
    notAccepted,
  );
  const [id] = part?.approval?.id.split('.') ?? [];
  expect(await refusal(changed({ approval: { id, approved: true } }))).toEqual(notAccepted);
  expect(await refusal(approved, { agent: 'other' })).toEqual(notAccepted);
  expect(await refusal(approved, { chatId: 'another' })).toEqual(notAccepted);
  // The approval is still valid.
  expect(textOf(await send([user('pay'), approved]))).toContain('paid');
});

it('refuses an approval that comes too late', async () => {
  const approved = answered(await send([user('pay')], { from: forgetful }), true);
  expect(await refusal(approved, { from: forgetful })).toEqual(notAccepted);
});

it('sends a failure as an error chunk, and ends as usual', async () => {
  const response = await fetch(`${server.origin}/agents/breaking/chat`, json({ input: 'x' }));
  const frames = (await response.text()).split('\n\n');

  expect(frames.at(-3)).toBe('data: {"type":"error","errorText":"The model of agent \\"breaking\\" failed"}');
  expect(frames.slice(-2)).toEqual(['data: [DONE]', '']);
});

it('refuses a body without input and messages', async () => {
  const response = await fetch(`${server.origin}/agents/chat/chat`, json({ id: 'c', trigger: 'submit-message' }));
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({ success: false, error: "body must have required property 'input'" });
});

it('sends the call with a result of the provider that arrives after the answer with the call', async () => {
  const question = user('Run');
  const first = await send([question], { agent: 'coder', chatId: 'deferred' });
  const next: UIMessage = { ...user('And?'), id: 'u2' };

  const second = await send([question, first, next], { agent: 'coder', chatId: 'deferred' });

  expect(first.parts.find(isToolUIPart)).toMatchObject({ state: 'input-available', providerExecuted: true });
  expect(second.parts.find(isToolUIPart)).toMatchObject({
    type: 'tool-code_execution',
    state: 'output-available',
    providerExecuted: true,
    input: { code: '1' },
    output: 1,
  });
});
