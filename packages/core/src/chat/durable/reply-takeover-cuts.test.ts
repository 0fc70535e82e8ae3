import { readUIMessageStream, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import type { UIMessageChunk } from '../../model/messages/message.ts';
import { ReplyTakeover } from './reply-takeover.ts';

const start: UIMessageChunk = { type: 'start', messageId: 'm1' };
const call: UIMessageChunk = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'find', input: { of: 1 } };
const output: UIMessageChunk = { type: 'tool-output-available', toolCallId: 'c1', output: 7 };
const text = (id: string, ...deltas: string[]): UIMessageChunk[] => [
  { type: 'text-start', id },
  ...deltas.map((delta): UIMessageChunk => ({ type: 'text-delta', id, delta })),
];
const end = (id: string): UIMessageChunk => ({ type: 'text-end', id });
const stepEnd: UIMessageChunk = { type: 'finish-step' };
const finish: UIMessageChunk = { type: 'finish', finishReason: 'stop' };

const whole: UIMessageChunk[] = [
  start,
  { type: 'start-step' },
  { type: 'reasoning-start', id: 'r' },
  { type: 'reasoning-delta', id: 'r', delta: 'I must look.' },
  { type: 'reasoning-end', id: 'r' },
  ...text('0', 'Let me ', 'look.'),
  end('0'),
  { type: 'source-url', sourceId: 's', url: 'https://example.com' },
  { type: 'tool-input-start', toolCallId: 'c1', toolName: 'find' },
  { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{"of":1}' },
  call,
  { type: 'data-note', data: 'once' },
  output,
  stepEnd,
  { type: 'start-step' },
  ...text('0', 'It ', 'is ', 'seven.'),
  end('0'),
  stepEnd,
  finish,
];

/** The reply as a later runner sends it: recorded calls are whole. */
const again: UIMessageChunk[] = [
  start,
  { type: 'start-step' },
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: 'I must look.' },
  { type: 'reasoning-end', id: '0' },
  ...text('1', 'Let me look.'),
  end('1'),
  call,
  { type: 'source-url', sourceId: 's', url: 'https://example.com' },
  { type: 'data-note', data: 'once' },
  output,
  stepEnd,
  { type: 'start-step' },
  ...text('0', 'It is', ' seven.'),
  end('0'),
  stepEnd,
  finish,
];

const splice = (delivered: readonly UIMessageChunk[], chunks: readonly UIMessageChunk[]): UIMessageChunk[] => {
  const continued = new ReplyTakeover(structuredClone(delivered));
  return [...delivered, ...chunks.flatMap((chunk) => continued.take(chunk))];
};

async function messageOf(chunks: readonly UIMessageChunk[]): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = ReadableStream.from<UIMessageChunk>(structuredClone(chunks));
  const onError = (error: unknown): void => expect.fail(String(error));
  for await (const message of readUIMessageStream({ stream, onError })) last = message;
  return last;
}

describe('an answer that another runner continues', () => {
  it('is the whole message without a gap or a repeat, wherever the first runner stopped', async () => {
    const expected = await messageOf(whole);
    for (let length = 0; length <= whole.length; length += 1) {
      const sent = splice(whole.slice(0, length), again);
      expect({ length, parts: sorted(await messageOf(sent)) }).toEqual({ length, parts: sorted(expected) });
      expect(sent.filter(({ type }) => type === 'tool-input-available')).toHaveLength(1);
    }
  });

  it('stays whole when further runners stop, too', async () => {
    const expected = await messageOf(whole);
    for (let length = 0; length <= whole.length; length += 3) {
      for (let second = 0; second <= again.length; second += 3) {
        const sent = splice(splice(whole.slice(0, length), again.slice(0, second)), again);
        expect(sorted(await messageOf(sent))).toEqual(sorted(expected));
      }
    }
  });

  it('ends the text that the model does not repeat, and sends the new one as another part', async () => {
    const cut = [start, { type: 'start-step' } as const, ...text('0', 'It is s', 'ix, I th')];
    const chunks = [
      start,
      { type: 'start-step' } as const,
      ...text('0', 'It is ', 'seven', '.'),
      end('0'),
      stepEnd,
      finish,
    ];
    const parts = (await messageOf(splice(cut, chunks)))?.parts;
    expect(parts).toEqual([
      { type: 'step-start' },
      expect.objectContaining({ type: 'text', text: 'It is six, I th', state: 'done' }),
      expect.objectContaining({ type: 'text', text: 'It is seven.', state: 'done' }),
    ]);
  });

  it('ends a shorter text, and one that the model does not write again', async () => {
    const cut = [start, { type: 'start-step' } as const, ...text('0', 'It is seven, I think')];
    const shorter = [start, { type: 'start-step' } as const, ...text('0', 'It is'), end('0'), stepEnd, finish];
    const none = [start, { type: 'start-step' } as const, call, output, stepEnd, finish];
    const textsOf = async (chunks: UIMessageChunk[]) =>
      (await messageOf(splice(cut, chunks)))?.parts.flatMap((part) => (part.type === 'text' ? [part] : []));
    expect(await textsOf(shorter)).toMatchObject([
      { text: 'It is seven, I think', state: 'done' },
      { text: 'It is', state: 'done' },
    ]);
    expect(await textsOf(none)).toMatchObject([{ text: 'It is seven, I think', state: 'done' }]);
  });

  it('turns a call that the model does not make again into an error', async () => {
    const lost: UIMessageChunk = { type: 'tool-input-available', toolCallId: 'c0', toolName: 'find', input: { of: 0 } };
    const sent = splice(
      [start, { type: 'start-step' }, lost],
      [start, { type: 'start-step' }, call, output, stepEnd, finish],
    );
    expect((await messageOf(sent))?.parts).toMatchObject([
      { type: 'step-start' },
      { toolCallId: 'c0', state: 'output-error' },
      { toolCallId: 'c1', state: 'output-available', output: 7 },
    ]);
  });
});

/** The parts without their ids, and without the order of those that come at the same time. */
function sorted(message: UIMessage | undefined): string[] {
  return (message?.parts ?? []).map((part) => JSON.stringify({ ...part, id: undefined })).toSorted();
}
