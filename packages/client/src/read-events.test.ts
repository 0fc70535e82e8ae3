import { expect, it, vi } from 'vitest';
import { parseEvent, readEvents, readJsonEvents } from './read-events.ts';
import { collect, eventStream } from './testing/scripted-fetch.ts';

/** A body that records whether it was cancelled, and sends the chunks of a test. */
function openBody() {
  const cancel = vi.fn<() => void>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (started) => {
      controller = started;
    },
    cancel,
  });
  const send = (text: string): void => controller?.enqueue(new TextEncoder().encode(text));
  return { cancel, response: new Response(body), send };
}

it('reads the events across the borders of chunks and characters', async () => {
  const bytes = new TextEncoder().encode('id: 7\nevent: note\ndata: é°🙂\n\ndata: two\n\n');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  expect(await collect(readEvents(new Response(body), undefined))).toMatchObject([
    { id: '7', event: 'note', data: 'é°🙂' },
    { data: 'two' },
  ]);
});

it('reports comments, which are no events', async () => {
  const onPing = vi.fn<() => void>();
  const response = eventStream([': ping\n\n', 'data: one\n\n', ': ping\n\n']);
  expect(await collect(readEvents(response, undefined, onPing))).toHaveLength(1);
  expect(onPing).toHaveBeenCalledTimes(2);
});

it('refuses an answer without a body', async () => {
  await expect(collect(readEvents(new Response(null, { status: 204 }), undefined))).rejects.toMatchObject({
    name: 'UnexpectedReplyError',
    status: 204,
    body: '',
  });
});

it('throws a lost connection when it breaks', async () => {
  const events: unknown[] = [];
  const read = async (): Promise<void> => {
    for await (const event of readEvents(eventStream(['data: one\n\n'], { isBroken: true }), undefined))
      events.push(event);
  };
  await expect(read()).rejects.toMatchObject({ name: 'ConnectionError', cause: { message: 'terminated' } });
  expect(events).toHaveLength(1);
});

it('closes the connection when its reader leaves', async () => {
  const { cancel, response, send } = openBody();
  send('data: one\n\n');
  for await (const _ of readEvents(response, undefined)) break;
  expect(cancel).toHaveBeenCalledTimes(1);
});

it('closes the connection and throws the reason when its signal is aborted while it waits', async () => {
  const { cancel, response } = openBody();
  const leaving = new AbortController();
  const remove = vi.spyOn(leaving.signal, 'removeEventListener');
  const reading = collect(readEvents(response, leaving.signal));
  reading.catch(() => {});
  await Promise.resolve();
  leaving.abort(new Error('left'));
  await expect(reading).rejects.toThrow('left');
  expect(cancel).toHaveBeenCalled();
  expect(remove).toHaveBeenCalledWith('abort', expect.any(Function));
});

it('yields no further event of a chunk after its signal is aborted', async () => {
  const leaving = new AbortController();
  const events: string[] = [];
  const read = async (): Promise<void> => {
    for await (const { data } of readEvents(eventStream(['data: one\n\ndata: two\n\n']), leaving.signal)) {
      events.push(data);
      leaving.abort(new Error('left'));
    }
  };
  await expect(read()).rejects.toThrow('left');
  expect(events).toEqual(['one']);
});

it('reads no further than its reader', async () => {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        controller.enqueue(new TextEncoder().encode(`data: ${pulls}\n\n`));
      },
    },
    { highWaterMark: 0 },
  );
  const events = readEvents(new Response(body), undefined);
  await events.next();
  await events.next();
  expect(pulls).toBe(2);
  await events.return();
});

it('leaves out the end of a chat, and throws for an event that is no object', async () => {
  expect(await collect(readJsonEvents(eventStream([{ a: 1 }, 'data: [DONE]\n\n']), undefined))).toEqual([{ a: 1 }]);
  await expect(collect(readJsonEvents(eventStream(['data: {"a":\n\n']), undefined))).rejects.toMatchObject({
    name: 'UnexpectedReplyError',
    status: 200,
    body: '{"a":',
  });
});

it.each(['7', '"text"', 'null', 'true', 'x'.repeat(2_000)])('refuses an event that is %.8s', (text) => {
  expect(() => parseEvent(text, 101)).toThrow(expect.objectContaining({ status: 101, body: text.slice(0, 1_000) }));
});

it('keeps the first 1000 characters of an event that is no object', () => {
  const text = JSON.stringify('x'.repeat(2_000));
  expect(() => parseEvent(text, 101)).toThrow(expect.objectContaining({ body: text.slice(0, 1_000) }));
});
