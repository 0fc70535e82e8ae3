import { Agent, createMemory, createTool } from '@halyard/core';
import { scriptedModel, type ScriptedReply } from '@halyard/core/testing';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { Type } from '@sinclair/typebox';
import { DefaultChatTransport, isToolUIPart, readUIMessageStream, type UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, userOf } from '../../../testing/memory.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';

const weather = createTool({
  name: 'getWeather',
  description: '',
  input: Type.Object({ city: Type.String() }),
  execute: ({ city }) => ({ city, degrees: 21 }),
});
const pay = createTool({
  name: 'pay',
  description: '',
  input: Type.Object({ euros: Type.Number() }),
  needsApproval: true,
  execute: () => 'paid',
});

/**
 * Calls the tool that the last user message names, then answers with the number of messages in its
 * prompt.
 */
const act: ScriptedReply = ({ prompt }) => {
  const last = prompt.at(-1);
  const lastText = JSON.stringify(last?.content);
  if (last?.role === 'user' && lastText.includes('weather'))
    return { reasoning: 'Hm.', toolCalls: [{ toolName: 'getWeather', input: { city: 'Rome' } }] };
  if (last?.role === 'user' && lastText.includes('pay'))
    return { toolCalls: [{ toolName: 'pay', input: { euros: 5 } }] };
  return { text: ['I see ', `${prompt.length}.`] };
};
const model = scriptedModel(act);
const storage = createInMemoryStorage();
const memory = createMemory({ storage, persistence: { debounceMs: 5 } });

let server: Served;
beforeAll(async () => {
  const agents = [
    new Agent({ id: 'chat', model, tools: [weather, pay] }),
    new Agent({ id: 'object', model: scriptedModel('{"name":"Ada"}') }),
  ];
  server = await serve([], { agents, storage, memory, userOf });
});
afterAll(() => server.close());

let count = 0;
const newId = () => `run-${(count += 1)}`;

async function post(path: string, body: unknown, as?: string) {
  const { headers, ...init } = json(body);
  const response = await fetch(`${server.origin}/agents/${path}`, {
    ...init,
    headers: { ...headers, ...(as !== undefined && { 'x-user': as }) },
  });
  const text = await response.text();
  return {
    status: response.status,
    code: response.headers.get('x-error-code'),
    type: response.headers.get('content-type'),
    text,
  };
}

const send = async (conversationId: string, input: string, options: object = {}, as?: string) => {
  const { text } = await post('chat/text', { input, options: { conversationId, userId: 'ada', ...options } }, as);
  return (JSON.parse(text) as { data: { text: string } }).data.text;
};

type Read = UIMessage & { createdAt?: string };

/** The stored messages, as a page loads them. */
async function stored(conversationId: string): Promise<UIMessage[]> {
  const { data } = await ask(server.origin, `/conversations/${conversationId}/messages`);
  return ((data['messages'] ?? []) as Read[]).map(({ createdAt: _, ...message }) => message);
}

/** Behaves like `useChat`: sends all its messages, and appends the reply to them. */
class Chat {
  readonly id: string = newId();
  messages: UIMessage[] = [];
  onRequest: (body: string) => void = () => {};

  async send(text: string): Promise<void> {
    this.messages.push({ id: newId(), role: 'user', parts: [{ type: 'text', text }] });
    await this.goOn();
  }

  /** Replaces a message of the user, and all that follows it. */
  async edit(at: number, text: string): Promise<void> {
    const messageId = this.messages[at]?.id ?? '';
    this.messages = [...this.messages.slice(0, at), { id: messageId, role: 'user', parts: [{ type: 'text', text }] }];
    await this.goOn('submit-message', messageId);
  }

  async regenerate(): Promise<void> {
    this.messages = this.messages.slice(0, -1);
    await this.goOn('regenerate-message');
  }

  /** Answers a pending approval. */
  async approve(approved: boolean): Promise<void> {
    const last = this.messages.at(-1);
    for (const part of last?.parts ?? []) {
      if (!isToolUIPart(part) || part.state !== 'approval-requested') continue;
      Object.assign(part, { state: 'approval-responded', approval: { ...part.approval, approved } });
    }
    await this.goOn();
  }

  async goOn(trigger: 'submit-message' | 'regenerate-message' = 'submit-message', messageId?: string): Promise<void> {
    const transport = new DefaultChatTransport<UIMessage>({
      api: `${server.origin}/agents/chat/chat`,
      fetch: (url, init) => {
        if (typeof init?.body === 'string') this.onRequest(init.body);
        return fetch(url, init);
      },
      body: { options: { userId: 'ada' } },
    });
    const { id: chatId, messages } = this;
    const stream = await transport.sendMessages({
      trigger,
      chatId,
      messageId,
      messages,
      abortSignal: undefined,
    });
    const last = messages.at(-1);
    const continued = last?.role === 'assistant' ? structuredClone(last) : undefined;
    let answer: UIMessage | undefined;
    for await (const state of readUIMessageStream({
      stream,
      terminateOnError: true,
      ...(continued && { message: continued }),
    }))
      answer = state;
    if (answer === undefined) throw new TypeError('the stream contained no message');
    this.messages = [...(continued === undefined ? messages : messages.slice(0, -1)), answer];
  }
}

describe('a chat that is loaded again', () => {
  it('has the same messages and ids as before', async () => {
    const chat = new Chat();
    await chat.send('hello');
    expect(await stored(chat.id)).toEqual(chat.messages);
    await chat.send('the weather, please');
    expect(chat.messages.at(-1)?.parts.map(({ type }) => type)).toContain('tool-getWeather');
    expect(await stored(chat.id)).toEqual(chat.messages);
    expect(await ask(server.origin, `/conversations/${chat.id}`)).toMatchObject({
      data: { conversation: { id: chat.id, userId: 'ada', resourceId: 'chat' } },
    });
  });

  it.each([true, false])('continues the message that waited for an approval: approved %s', async (approved) => {
    const chat = new Chat();
    await chat.send('pay');
    const [, waiting] = chat.messages;
    expect(await stored(chat.id)).toEqual(chat.messages);

    await chat.approve(approved);
    expect(chat.messages).toHaveLength(2);
    expect(chat.messages[1]?.id).toBe(waiting?.id);
    expect(await stored(chat.id)).toEqual(chat.messages);
  });

  it('replaces an answer that was regenerated', async () => {
    const chat = new Chat();
    await chat.send('hello');
    const [, first] = chat.messages;
    await chat.regenerate();
    expect(chat.messages[1]?.id).not.toBe(first?.id);
    expect(await stored(chat.id)).toEqual(chat.messages);
  });

  it('does not change when requests arrive a second time, also late and out of order', async () => {
    const chat = new Chat();
    const bodies: string[] = [];
    chat.onRequest = (body) => bodies.push(body);
    await chat.send('hello');
    await chat.edit(0, 'hello again');
    await chat.send('the weather, please');
    await chat.send('pay');
    const before = await stored(chat.id);
    const calls = model.calls.length;
    for (const at of [3, 0, 2, 1, 3, 0]) {
      const { code, status, text } = await post('chat/chat', JSON.parse(bodies[at] ?? ''));
      // Of the newest question, the stored reply is sent again.
      if (at === 3) expect(text).toContain('"tool-approval-request"');
      else expect([status, code]).toEqual([409, 'MESSAGE_ANSWERED']);
    }
    expect(await stored(chat.id)).toEqual(before);
    expect(model.calls).toHaveLength(calls);
  });

  it('sends the same message again when its newest request arrives a second time', async () => {
    const chat = new Chat();
    await chat.send('the weather, please');
    const answered = structuredClone(chat.messages);
    chat.messages = chat.messages.slice(0, 1);
    await chat.goOn();
    const [, answer] = chat.messages;
    expect(answer?.id).toBe(answered[1]?.id);
    expect(answer?.parts.map(({ type }) => type)).toEqual(answered[1]?.parts.map(({ type }) => type));
    expect(await stored(chat.id)).toEqual(answered);
  });

  it('replaces what follows an edited message', async () => {
    const chat = new Chat();
    await chat.send('one');
    await chat.send('two');
    await chat.edit(0, 'uno');
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(await stored(chat.id)).toEqual(chat.messages);
  });

  it('includes earlier messages if the client sends only new ones', async () => {
    const chat = new Chat();
    await chat.send('one');
    chat.messages = [];
    await chat.send('two');
    expect((await stored(chat.id)).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(JSON.stringify(chat.messages)).toContain('I see 3.');
  });
});

describe('a request in a conversation', () => {
  it('is answered from its last messages, as many as the request allows', async () => {
    const id = newId();
    expect(await send(id, 'one')).toBe('I see 1.');
    expect(await send(id, 'two')).toBe('I see 3.');
    expect(await send(id, 'three', { contextLimit: 1 })).toBe('I see 1.');
    expect(await send(id, 'four', { contextLimit: 1, memory: { options: { contextLimit: 2 } } })).toBe('I see 3.');
    expect(await send(id, 'five', { memory: { options: { contextLimit: 0 } } })).toBe('I see 1.');
    expect(await send(id, 'six', { memory: { conversationId: id, userId: 'ada', options: null } })).toBe('I see 11.');
    expect(await stored(id)).toHaveLength(12);
  });

  it('stores nothing if it is read-only', async () => {
    const id = newId();
    await send(id, 'one');
    expect(await send(id, 'two', { memory: { options: { readOnly: true } } })).toBe('I see 3.');
    expect(await stored(id)).toHaveLength(2);
  });

  it('accepts settings for how its answer is stored', async () => {
    const id = newId();
    const conversationPersistence = { mode: 'finish', debounceMs: 0, flushOnToolResult: false };
    await send(id, 'weather', { memory: { options: { conversationPersistence, semanticMemory: null } } });
    expect((await stored(id)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });

  it('belongs to the verified user, whatever user it names', async () => {
    const id = newId();
    await send(id, 'one', { userId: 'eve', memory: { userId: 'mallory' } }, 'grace');
    expect(await ask(server.origin, `/conversations/${id}`)).toMatchObject({
      data: { conversation: { userId: 'grace' } },
    });
  });

  it('belongs to the anonymous user without a user', async () => {
    const id = newId();
    expect(await send(id, 'one', { userId: undefined })).toBe('I see 1.');
    expect((await ask(server.origin, `/conversations/${id}?userId=ada`)).status).toBe(400);
    expect((await ask(server.origin, `/conversations/${id}?userId=halyard:anonymous`)).status).toBe(200);
  });

  it.each<readonly [object, string]>([
    [{ contextLimit: -1 }, 'body/options/contextLimit must be >= 0'],
    [{ contextLimit: 1_001 }, 'body/options/contextLimit must be <= 1000'],
    [{ contextLimit: null }, 'body/options/contextLimit must be integer'],
    [{ memory: { options: { readOnly: 'yes' } } }, 'body/options/memory/options/readOnly must be boolean'],
    [
      { memory: { options: { semanticMemory: { mergeStrategy: 'shuffle' } } } },
      'body/options/memory/options/semanticMemory/mergeStrategy must be equal to one of the allowed values: "append", "prepend", "interleave"',
    ],
    [
      { memory: { options: { semanticMemory: { semanticThreshold: 1.5 } } } },
      'body/options/memory/options/semanticMemory/semanticThreshold must be <= 1',
    ],
    [
      { memory: { options: { conversationPersistence: { debounceMs: 60_001 } } } },
      'body/options/memory/options/conversationPersistence/debounceMs must be <= 60000',
    ],
  ])('is refused with %j', async (options, error) => {
    const { status, text } = await post('chat/text', { input: 'hi', options });
    expect({ status, body: JSON.parse(text) as unknown }).toEqual({ status: 400, body: { success: false, error } });
  });
});

const routes = ['chat/text', 'chat/stream', 'chat/chat', 'object/object', 'object/stream-object'];

describe.each(routes)('a conversation of another user, %s', (path) => {
  const body = (conversationId: string, userId?: string) => ({
    input: [{ role: 'user', parts: [{ type: 'text', text: 'mine now' }] }],
    schema: { type: 'object' },
    options: { conversationId, userId },
  });

  it('is not found for a verified user, before the model is called', async () => {
    const id = newId();
    await send(id, 'private');
    const asked = model.calls.length;
    const reply = await post(path, body(id), 'eve');
    expect(reply).toMatchObject({
      status: 404,
      code: 'CONVERSATION_NOT_FOUND',
      type: 'application/json; charset=utf-8',
    });
    expect(JSON.parse(reply.text)).toEqual({ success: false, error: `Conversation not found: ${id}` });
    expect(model.calls).toHaveLength(asked);
    expect(await stored(id)).toHaveLength(2);
  });

  it('is refused if no user is verified and the request names another user', async () => {
    const id = newId();
    await send(id, 'private');
    expect(await post(path, body(id, 'eve'))).toMatchObject({ status: 400, code: 'INVALID_INPUT' });
    expect(await stored(id)).toHaveLength(2);
    expect((await post(path, body(id, 'ada'))).status).toBe(200);
    expect(await stored(id)).toHaveLength(4);
  });
});

describe('a client without UI messages', () => {
  it('answers an approval, and learns which message the answer continues', async () => {
    const id = newId();
    const options = { conversationId: id, userId: 'ada' };
    const asked = await post('chat/text', { input: 'pay', options });
    const { data } = JSON.parse(asked.text) as { data: { toolCalls: { approvalId: string; signature: string }[] } };
    const [, waiting] = await stored(id);
    const content = data.toolCalls.map(({ approvalId, signature }) => ({
      type: 'tool-approval-response',
      approvalId,
      signature,
      approved: true,
    }));
    const { status, text } = await post('chat/chat', { input: [{ role: 'tool', content }], options });
    expect(status).toBe(200);
    expect(text).toContain(JSON.stringify({ type: 'start', messageId: waiting?.id }));
    const messages = await stored(id);
    expect(messages).toHaveLength(2);
    expect(JSON.stringify(messages[1])).toContain('"paid"');
  });
});
