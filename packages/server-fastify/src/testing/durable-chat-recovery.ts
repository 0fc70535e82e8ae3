import { type NewStream, type Storage, type StreamStore, UnavailableError } from '@halyard/contracts';
import { createMemory } from '@halyard/core';
import { lockStreamKey } from '@halyard/core/testing';
import type { UIMessage } from 'ai';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { calls, changed, type DurableStorage, renewedLeaseMs, researcher } from './durable.ts';
import { ask, userOf } from './memory.ts';
import { askIn, read, reconnectTo, textOf } from './resumable.ts';
import { serve, type Served } from './serve.ts';
import { gateOf } from './workflows.ts';

const whole = 'Now first. Now second. Both are done.';
const asking = { agent: 'researcher', options: {} };

const outage = () => new UnavailableError('STORAGE_UNAVAILABLE', 'The storage is not available');

const optionsOn = (storage: Storage) => ({
  agents: [researcher],
  storage,
  memory: createMemory({ storage }),
  userOf,
  leaseMs: renewedLeaseMs,
});

function streamsOf({ streams }: Storage): StreamStore {
  return streams ?? expect.fail('no streams');
}

/** The tests of durable chats that lose a stream or their lock, which hold for each storage. */
export function testRecovery(create: () => DurableStorage): void {
  let stores: DurableStorage;
  let storage: Storage;
  let served: Pick<Storage, 'executions'>;
  let server: Served;
  let count = 0;
  const newId = () => `recovery-${(count += 1)}`;
  const placeOf = (conversationId: string) => ({ agentId: 'researcher', conversationId });
  const executionOf = async (id: string) => {
    const { executions } = await served.executions.list('anyone', { parentExecutionId: null, limit: 50, offset: 0 });
    return executions.find(({ conversationId }) => conversationId === id);
  };
  /** Everybody has the whole reply, and nothing was repeated for it. */
  const checkWhole = async (id: string, { message }: { readonly message: UIMessage | undefined }): Promise<void> => {
    expect(textOf(message)).toBe(whole);
    const { data } = await ask(server.origin, `/conversations/${id}/messages?userId=ada`);
    const [, answer, ...others] = data['messages'] as UIMessage[];
    expect([answer?.id, textOf(answer), others]).toEqual([message?.id, whole, []]);
    expect(calls.filter((call) => call === `${id} first`)).toHaveLength(1);
    await expect.poll(async () => (await executionOf(id))?.status).toBe('completed');
  };
  /** Each case has one server: an engine would choose between two. */
  const serveOn = async (on: Storage, limits = {}): Promise<Served> => {
    const own = await serve([], { ...optionsOn(on), limits });
    onTestFinished(() => own.close());
    server = own;
    served = on;
    return own;
  };
  /** A server whose streams behave differently. */
  const serveWith = (changes: Partial<StreamStore> = {}, limits = {}): Promise<Served> =>
    serveOn({ ...storage, streams: changed(streamsOf(storage), changes), close: async () => {} }, limits);

  beforeAll(async () => {
    stores = create();
    ({ storage } = stores);
    // Creating an embedded database takes seconds of computing.
  }, 180_000);
  afterAll(() => storage.close());

  it('goes on in another stream when the lease of its stream has run out, but not that of its execution', async () => {
    const id = newId();
    const streams = streamsOf(storage);
    const asked = read(await askIn(id, await serveWith(), asking));
    await gateOf(id).entered;
    const first = (await streams.findLive('anyone', placeOf(id))) ?? expect.fail('no stream');
    const { epoch } = (await executionOf(id)) ?? {};
    await streams.append(first.id, { after: 0, chunks: [] }, 1);
    const hasNext = async (): Promise<boolean> => {
      const live = await streams.findLive('anyone', placeOf(id));
      return live !== undefined && live.id !== first.id;
    };
    await expect.poll(hasNext).toBe(true);
    const reconnected = read(await reconnectTo(id, server, asking));
    gateOf(id).open();

    await checkWhole(id, await asked);
    await checkWhole(id, await reconnected);
    expect((await executionOf(id))?.epoch).toBe(epoch);
  });

  it('begins a stream of its own each time that it is continued, also when the first one was lost at once', async () => {
    const id = newId();
    const streams = streamsOf(storage);
    const locks: string[] = [];
    let isFirst = true;
    const begin = (stream: NewStream, forMs: number) => {
      if (stream.id.startsWith('lock-')) locks.push(stream.id);
      const isLost = isFirst;
      isFirst = false;
      return streams.begin(stream, isLost ? 0 : forMs);
    };
    const asked = read(await askIn(id, await serveWith({ begin }), asking));
    await gateOf(id).entered;
    await streams.discard(locks[0] ?? expect.fail('no lock'));
    await expect.poll(() => locks.length).toBe(2);
    gateOf(id).open();

    await checkWhole(id, await asked);
  });

  it('waits for the lock of the conversation for as long as that takes', async () => {
    const id = newId();
    gateOf(id).open();
    const streams = streamsOf(storage);
    let tries = 0;
    const begin = (stream: NewStream, forMs: number) => {
      if (stream.id.startsWith('lock-')) tries += 1;
      return streams.begin(stream, forMs);
    };
    const impatient = await serveWith({ begin }, { busyWaitMs: 1 });
    const other = { ...lockStreamKey(placeOf(id)), id: `other-${id}`, userId: 'ada' };
    await streams.begin(other, 60_000);
    const asked = askIn(id, impatient, asking);
    asked.catch(() => {});
    await expect.poll(() => tries).toBeGreaterThan(1);
    await streams.discard(other.id);

    await checkWhole(id, await read(await asked));
  });

  it('goes on when the storage did not renew the lease of its stream at once', async () => {
    const id = newId();
    gateOf(id).open();
    let tries = 0;
    const append: StreamStore['append'] = (streamId, ...given) => {
      if (streamId.startsWith('answer.') && (tries += 1) === 1) return Promise.reject(outage());
      return streamsOf(storage).append(streamId, ...given);
    };
    await checkWhole(id, await read(await askIn(id, await serveWith({ append }), asking)));
    expect(tries).toBeGreaterThan(1);
  });

  it('is stored whole when the storage refuses to store it for a while, and calls no model again for it', async () => {
    const id = newId();
    let failures = 4;
    const conversations = changed(storage.conversations, {
      save: (owner, save) => {
        const isLast = JSON.stringify(save.messages).includes('Both are done');
        if (isLast && (failures -= 1) >= 0) return Promise.reject(outage());
        return storage.conversations.save(owner, save);
      },
    });
    await serveOn({ ...storage, conversations, close: async () => {} });
    gateOf(id).open();
    await checkWhole(id, await read(await askIn(id, server, asking)));
    expect(failures).toBe(-1);
    expect((await executionOf(id))?.epoch).toBe(1);
  });

  it('is sent whole over an outage of the storage, with comments meanwhile that keep the connection open', async () => {
    const id = newId();
    const streams = streamsOf(storage);
    let isDown = false;
    let failedReads = 0;
    const unlessDown =
      <Given extends readonly unknown[], Result>(call: (...given: Given) => Promise<Result>) =>
      (...given: Given): Promise<Result> =>
        isDown ? Promise.reject(outage()) : call(...given);
    const readStream = unlessDown(streams.read.bind(streams));
    await serveOn(
      {
        ...storage,
        conversations: changed(storage.conversations, {
          save: unlessDown(storage.conversations.save.bind(storage.conversations)),
        }),
        streams: changed(streams, {
          end: unlessDown(streams.end.bind(streams)),
          read: (...given) => {
            if (isDown) failedReads += 1;
            return readStream(...given);
          },
        }),
        close: async () => {},
      },
      { pingMs: 5 },
    );
    const asked = read(await askIn(id, server, asking));
    await gateOf(id).entered;
    const followed = await fetch(`${server.origin}/agents/researcher/chat/${id}/stream`);
    const frames = framesOf(followed);
    await frames.next('second');
    isDown = true;
    gateOf(id).open();
    await expect.poll(() => failedReads, { timeout: 60_000 }).toBeGreaterThan(2);
    await frames.next(': ping');
    isDown = false;

    await checkWhole(id, await asked);
    const rest = await frames.rest();
    expect(rest).not.toContain('"type":"error"');
    expect(rest).toContain('"type":"finish"');
    expect(rest.match(/are done/g)).toHaveLength(1);
  });

  it('is not there for a client that reconnects when its server has died before it began', async () => {
    const id = newId();
    const stream = { ...placeOf(id), id: 'answer.7f1c2d4e-1111-4222-8333-444455556666.1', userId: 'ada' };
    const streams = streamsOf(storage);
    let looks = 0;
    const findLive: StreamStore['findLive'] = (...place) => {
      looks += 1;
      return streams.findLive(...place);
    };
    const waiting = await serveWith({ findLive });
    await streams.begin(stream, stores.shortLeaseMs);
    const reconnecting = reconnectTo(id, waiting, asking);
    await expect.poll(() => looks).toBeGreaterThan(1);
    stores.endLeases();
    expect(await reconnecting).toBeNull();
  });
}

/** The text of a response, as it arrives. */
function framesOf({ body }: Response) {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader() ?? expect.fail('no body');
  let text = '';
  const readMore = async (): Promise<boolean> => {
    const { done, value = '' } = await reader.read();
    text += value;
    return !done;
  };
  return {
    /** Waits until the text has this part, once more. */
    next: async (part: string): Promise<void> => {
      const from = text.length;
      while (!text.slice(from).includes(part)) if (!(await readMore())) expect.fail(`ended without ${part}: ${text}`);
    },
    rest: async (): Promise<string> => {
      while (await readMore());
      return text;
    },
  };
}
