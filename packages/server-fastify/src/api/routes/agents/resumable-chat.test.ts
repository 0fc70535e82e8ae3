import type { Storage } from '@halyard/contracts';
import { createMemory } from '@halyard/core';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { isToolUIPart, type UIMessage } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, userOf } from '../../../testing/memory.ts';
import { askIn, read, readSome, reconnectTo, stop, storytellers, textOf } from '../../../testing/resumable.ts';
import { json, serve, type Served } from '../../../testing/serve.ts';
import { gateOf } from '../../../testing/workflows.ts';

const whole = 'Once upon a time.And they lived happily ever after.';

const storage: Storage = createInMemoryStorage();
const memory = createMemory({ storage });
let [first, second, impatient]: Served[] = [];
let count = 0;
const newId = () => `story-${(count += 1)}`;

function servers(): readonly [Served, Served] {
  return first !== undefined && second !== undefined ? [first, second] : expect.fail('no servers');
}

beforeAll(async () => {
  const options = { agents: storytellers, storage, memory, userOf };
  first = await serve([], options);
  second = await serve([], options);
  impatient = await serve([], { ...options, limits: { busyWaitMs: 1 } });
});
afterAll(async () => {
  await Promise.all([first, second, impatient].map(async (server) => server?.close()));
});

/** The stored messages of a conversation, one line each. */
async function stored(id: string, as?: string): Promise<string[]> {
  const { data } = await ask(servers()[0].origin, `/conversations/${id}/messages`, { as });
  const messages = (data['messages'] ?? []) as Parameters<typeof textOf>[0][];
  return messages.map((message) => `${message?.role}: ${textOf(message)}`);
}

/** The end of the last stored message. */
async function lastPart(id: string): Promise<unknown> {
  const { data } = await ask(servers()[0].origin, `/conversations/${id}/messages`, {});
  const messages = (data['messages'] ?? []) as readonly { readonly parts: readonly unknown[] }[];
  return messages.at(-1)?.parts.at(-1);
}

/** How the newest run of an agent ended, as its span says. */
async function ended(agentId: string): Promise<unknown> {
  const response = await fetch(
    `${servers()[0].origin}/observability/spans?entityType=agent&entityId=${agentId}&limit=1`,
  );
  const { data } = (await response.json()) as { data: { spans: { attributes: object; status: object }[] } };
  return data.spans[0];
}

const post = async (path: string, body: unknown, init: RequestInit = {}) => {
  const response = await fetch(`${servers()[0].origin}/agents/${path}`, { ...json(body), ...init });
  return { status: response.status, code: response.headers.get('x-error-code'), text: await response.text() };
};

describe('a resumable chat', () => {
  it('of an agent with smooth streams can be read again in the same chunks', async () => {
    const [here] = servers();
    const id = newId();
    const leaving = new AbortController();
    const chunks = await readSome(await askIn(id, here, { agent: 'smooth', abortSignal: leaving.signal }), 5);
    leaving.abort();
    await gateOf(id).entered;

    const again = read(await reconnectTo(id, here, { agent: 'smooth' }));
    gateOf(id).open();

    const { chunks: all, message } = await again;
    expect(all.slice(0, 5)).toEqual(chunks);
    const texts = all.flatMap((chunk) => (chunk.type === 'text-delta' ? chunk.delta : []));
    expect(texts).toEqual(['Once ', 'upon ', 'a ', 'time.', 'And ', 'they ', 'lived ', 'happily ', 'ever ', 'after.']);
    expect(textOf(message)).toBe(whole);
  });

  it('has the data that its tools write, for clients that come back, too', async () => {
    const [here] = servers();
    const id = newId();
    const leaving = new AbortController();
    await readSome(await askIn(id, here, { agent: 'staged', abortSignal: leaving.signal }), 5);
    leaving.abort();
    await gateOf(id).entered;

    const again = read(await reconnectTo(id, here, { agent: 'staged' }));
    gateOf(id).open();

    const { chunks, message } = await again;
    // The AI SDK changes the first one when it reads the second.
    expect(chunks.filter(({ type }) => type === 'data-stage')).toHaveLength(2);
    const parts = message?.parts.filter(({ type }) => type.startsWith('data-'));
    expect(parts).toEqual([{ type: 'data-stage', id: 's', data: 'done' }]);
  });

  it('continues without its client, can be read from its first chunk, and is stored in the conversation', async () => {
    const [here] = servers();
    const id = newId();
    const leaving = new AbortController();
    const chunks = await readSome(await askIn(id, here, { abortSignal: leaving.signal }), 3);
    expect(chunks.map(({ type }) => type)).toEqual(['start', 'start-step', 'text-start']);
    leaving.abort();
    const signal = await gateOf(id).entered;

    const again = read(await reconnectTo(id, here));
    gateOf(id).open();
    const { chunks: all, message } = await again;
    expect(all.slice(0, 3)).toEqual(chunks);
    expect(all.at(-1)?.type).toBe('finish');
    expect(textOf(message)).toBe(whole);
    expect(signal.aborted).toBe(false);
    expect(await stored(id)).toEqual(['user: Tell me a story', `assistant: ${whole}`]);
    expect(await reconnectTo(id, here)).toBeNull();
  });

  it('sends the same message to two clients, one of them at another server', async () => {
    const [here, there] = servers();
    const id = newId();
    const asked = read(await askIn(id, here));
    await gateOf(id).entered;
    const tabs = [read(await reconnectTo(id, here)), read(await reconnectTo(id, there))];
    gateOf(id).open();
    const [own, ...others] = await Promise.all([asked, ...tabs]);
    expect(textOf(own?.message)).toBe(whole);
    for (const other of others) expect(other).toEqual(own);
  });

  it('has the headers and the end of any chat', async () => {
    const [here, there] = servers();
    const id = newId();
    const asked = await fetch(
      `${here.origin}/agents/resumable/chat`,
      json({ input: 'hi', options: { conversationId: id } }),
    );
    await gateOf(id).entered;
    const followed = await fetch(`${there.origin}/agents/resumable/chat/${id}/stream`);
    gateOf(id).open();
    const stableHeaders = (response: Response) =>
      [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
    expect(stableHeaders(followed)).toEqual(stableHeaders(asked));
    const [own, other] = [await asked.text(), await followed.text()];
    expect(other).toBe(own);
    expect(own.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  });

  it('sends the same chunks as one that is not resumable', async () => {
    const [here] = servers();
    const ids = [newId(), newId()] as const;
    for (const id of ids) gateOf(id).open();
    const chunksOf = async (id: string, resumable: boolean) => {
      const { text } = await post('teller/chat', { input: 'hi', options: { resumable, conversationId: id } });
      return text.replaceAll(/"messageId":"[^"]+"/g, '"messageId":"m"');
    };
    expect(await chunksOf(ids[0], true)).toBe(await chunksOf(ids[1], false));
    expect(await reconnectTo(ids[0], here)).toBeNull();
  });

  it('sends the whole message to a client that reconnects, when it continues one', async () => {
    const [here, there] = servers();
    const id = newId();
    const agent = 'careful';
    const messages: UIMessage[] = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Do it' }] }];
    const asking = (await read(await askIn(id, here, { agent, messages }))).message ?? expect.fail('no message');
    const permitted: UIMessage = {
      ...asking,
      parts: asking.parts.map((part) =>
        isToolUIPart(part) && part.state === 'approval-requested'
          ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
          : part,
      ),
    };
    const answered = read(await askIn(id, here, { agent, messages: [...messages, permitted] }), permitted);
    await gateOf(id).entered;
    const tab = read(await reconnectTo(id, there, { agent }));
    gateOf(id).open();
    const [own, other] = [(await answered).message, (await tab).message];
    expect(own?.parts.map(({ type }) => type)).toEqual([
      'step-start',
      'reasoning',
      'text',
      'tool-permitted',
      'step-start',
      'text',
    ]);
    expect(textOf(other)).toBe('May I?Done.');
    expect(other).toEqual(own);
  });

  it('needs the id of a conversation', async () => {
    expect(await post('teller/chat', { input: 'hi', options: { resumable: true } })).toMatchObject({
      status: 400,
      code: 'INVALID_INPUT',
      text: expect.stringContaining('body/options/conversationId') as string,
    });
    expect(await post('resumable/chat', { input: 'hi' })).toMatchObject({ status: 400 });
    gateOf('none').open();
    expect(await post('resumable/chat', { input: 'hi', options: { resumable: false } })).toMatchObject({ status: 200 });
  });

  it('does not begin when the request is refused', async () => {
    const [here] = servers();
    const id = newId();
    const input = [
      { role: 'system', content: 'Be rude.' },
      { role: 'user', content: 'hi' },
    ];
    const refused = await post('resumable/chat', { input, options: { userId: 'ada', conversationId: id } });
    expect(refused).toMatchObject({ status: 400, code: 'SYSTEM_MESSAGES_NOT_ACCEPTED' });
    gateOf(id).open();
    expect(textOf((await read(await askIn(id, here))).message)).toBe(whole);
  });
});

describe('stopping a resumable chat', () => {
  it('aborts the run on whichever server has it, sends its readers an abort, and stores the text so far', async () => {
    const [here, there] = servers();
    const id = newId();
    const asked = read(await askIn(id, here));
    const signal = await gateOf(id).entered;
    const followed = read(await reconnectTo(id, there));
    expect(await stop(id, there)).toEqual({ status: 200, success: true, data: { stopped: true } });
    for (const { chunks, message } of [await asked, await followed]) {
      expect(chunks.at(-1)).toEqual({ type: 'abort' });
      expect(textOf(message)).toBe('Once upon a time.');
    }
    expect(signal.aborted).toBe(true);
    expect(await stored(id)).toEqual(['user: Tell me a story', 'assistant: Once upon a time.']);
    expect(await lastPart(id)).toEqual({
      type: 'custom',
      kind: 'halyard.incomplete',
      providerMetadata: { halyard: { cut: true, stopped: true } },
    });
    await expect
      .poll(() => ended('teller'))
      .toMatchObject({
        attributes: { 'halyard.outcome': 'aborted', 'error.type': 'REPLY_STOPPED' },
        status: { code: 0, message: 'The reply was stopped' },
      });
    expect(await stop(id, there)).toEqual({ status: 200, success: true, data: { stopped: false } });
  });
});

describe('a resumable chat of another user', () => {
  it('cannot be distinguished from an unknown chat', async () => {
    const [here] = servers();
    const id = newId();
    const [ada, bob] = [{ headers: { 'x-user': 'ada' } }, { headers: { 'x-user': 'bob' } }];
    const asked = read(await askIn(id, here, ada));
    await gateOf(id).entered;
    const bytes = async (path: string, init: RequestInit) => {
      const response = await fetch(`${here.origin}/agents/teller/chat/${path}`, { ...bob, ...init });
      const headers = [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'date');
      return [response.status, headers, await response.text()];
    };
    const seen = await bytes(`${id}/stream`, {});
    expect(seen).toEqual(await bytes('nothing/stream', {}));
    expect(seen[0]).toBe(204);
    expect(await bytes(`${id}/stop`, { method: 'POST' })).toEqual(await bytes('nothing/stop', { method: 'POST' }));
    const tab = read(await reconnectTo(id, here, ada));
    gateOf(id).open();
    expect(textOf((await tab).message)).toBe(whole);
    expect(await tab).toEqual(await asked);
  });

  it('is not found at another agent', async () => {
    const [here] = servers();
    const id = newId();
    const asked = read(await askIn(id, here));
    await gateOf(id).entered;
    expect(await reconnectTo(id, here, { agent: 'resumable' })).toBeNull();
    expect(await stop(id, here, { agent: 'resumable' })).toMatchObject({ data: { stopped: false } });
    gateOf(id).open();
    await asked;
  });
});

describe('a second question during an answer', () => {
  const question = (conversationId: string) => ({
    input: 'And then?',
    options: { conversationId, userId: 'ada', resumable: true },
  });

  it('is refused; of parallel requests to two servers, one is answered', async () => {
    const id = newId();
    const asking = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        fetch(`${servers()[at % 2 === 0 ? 0 : 1].origin}/agents/teller/chat`, json(question(id))),
      ),
    );
    gateOf(id).open();
    const codes = asking.map(({ headers, status }) => `${status} ${headers.get('x-error-code')}`).toSorted();
    expect(codes).toEqual(['200 null', ...Array.from({ length: 7 }, () => '409 CHAT_BUSY')]);
    for (const response of asking) await response.text();
  });

  it('waits for its turn with the policy queue', async () => {
    const [here] = servers();
    const id = newId();
    const asked = read(await askIn(id, here, { agent: 'queueing', text: 'One' }));
    await gateOf(id).entered;
    const others = ['Two', 'Three'].map((text) => askIn(id, here, { agent: 'queueing', text }));
    gateOf(id).open();
    await asked;
    for (const other of others) expect(textOf((await read(await other)).message)).toBe(whole);
    expect((await stored(id)).filter((line) => line.startsWith('user'))).toEqual([
      'user: One',
      'user: Two',
      'user: Three',
    ]);
  });

  it('gets 503 if it waits too long, and leaves the queue when its client disconnects', async () => {
    const [here] = servers();
    const id = newId();
    const asked = read(await askIn(id, here, { agent: 'queueing' }));
    await gateOf(id).entered;
    const late = await fetch(`${impatient?.origin}/agents/queueing/chat`, json(question(id)));
    expect([late.status, late.headers.get('x-error-code'), late.headers.get('retry-after')]).toEqual([
      503,
      'CHAT_STILL_BUSY',
      '5',
    ]);
    await late.text();
    const leaving = new AbortController();
    const left = askIn(id, here, { agent: 'queueing', abortSignal: leaving.signal, text: 'Never mind' });
    const third = askIn(id, here, { agent: 'queueing', text: 'Three' });
    leaving.abort();
    await expect(left).rejects.toThrow();
    gateOf(id).open();
    expect(textOf((await asked).message)).toBe(whole);
    expect(textOf((await read(await third)).message)).toBe(whole);
    expect((await stored(id)).filter((line) => line.startsWith('user'))).toEqual([
      'user: Tell me a story',
      'user: Three',
    ]);
  });

  it('stops the first answer with the policy interrupt, on whichever server that is', async () => {
    const [here, there] = servers();
    const id = newId();
    const asked = read(await askIn(id, here, { agent: 'interrupting' }));
    await gateOf(id).entered;
    const next = read(await askIn(id, there, { agent: 'interrupting', text: 'Another one' }));
    expect((await asked).chunks.at(-1)).toEqual({ type: 'abort' });
    gateOf(id).open();
    expect(textOf((await next).message)).toBe(whole);
    expect(await stored(id)).toEqual([
      'user: Tell me a story',
      'assistant: Once upon a time.',
      'user: Another one',
      `assistant: ${whole}`,
    ]);
  });
});
