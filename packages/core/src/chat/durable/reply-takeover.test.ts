import { describe, expect, it } from 'vitest';
import type { UIMessageChunk } from '../../model/messages/message.ts';
import { ReplyTakeover } from './reply-takeover.ts';

const start: UIMessageChunk = { type: 'start', messageId: 'm1' };
const step: UIMessageChunk = { type: 'start-step' };
const stepEnd: UIMessageChunk = { type: 'finish-step' };
const finish: UIMessageChunk = { type: 'finish', finishReason: 'stop' };
const begin = (id: string, kind: 'text' | 'reasoning' = 'text'): UIMessageChunk => ({ type: `${kind}-start`, id });
const delta = (id: string, text: string, kind: 'text' | 'reasoning' = 'text'): UIMessageChunk => ({
  type: `${kind}-delta`,
  id,
  delta: text,
});
const end = (id: string, kind: 'text' | 'reasoning' = 'text'): UIMessageChunk => ({ type: `${kind}-end`, id });
const input: UIMessageChunk = { type: 'tool-input-start', toolCallId: 'c1', toolName: 'pay' };
const inputDelta: UIMessageChunk = { type: 'tool-input-delta', toolCallId: 'c1', inputTextDelta: '{' };
const call: UIMessageChunk = { type: 'tool-input-available', toolCallId: 'c1', toolName: 'pay', input: {} };
const half: UIMessageChunk = { type: 'tool-output-available', toolCallId: 'c1', output: 'half', preliminary: true };
const output: UIMessageChunk = { type: 'tool-output-available', toolCallId: 'c1', output: 'paid' };
const failed: UIMessageChunk = { type: 'tool-output-error', toolCallId: 'c1', errorText: 'no' };
const unfit: UIMessageChunk = {
  type: 'tool-input-error',
  toolCallId: 'c1',
  toolName: 'pay',
  input: {},
  errorText: 'no',
};
const denied: UIMessageChunk = { type: 'tool-output-denied', toolCallId: 'c1' };
const request: UIMessageChunk = { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'a1' };
const otherRequest: UIMessageChunk = { type: 'tool-approval-request', toolCallId: 'c1', approvalId: 'a2' };
const dropped: UIMessageChunk = {
  type: 'tool-output-error',
  toolCallId: 'c1',
  errorText: 'The server stopped before the call, and the model was asked again',
};
const source: UIMessageChunk = { type: 'source-url', sourceId: 's1', url: 'https://a.b' };

/** The chunks that are sent for each chunk of the next runner. */
function sent(delivered: readonly UIMessageChunk[], chunks: readonly UIMessageChunk[]) {
  const takeover = new ReplyTakeover(structuredClone(delivered));
  return chunks.map((chunk) => takeover.take(chunk));
}

it('sends all chunks to a reader that has none', () => {
  const chunks = [
    start,
    step,
    begin('r', 'reasoning'),
    delta('r', 'Hm', 'reasoning'),
    end('r', 'reasoning'),
    begin('t'),
    delta('t', 'Hi'),
    end('t'),
    source,
    input,
    inputDelta,
    call,
    half,
    output,
    stepEnd,
    finish,
  ];
  expect(sent([], chunks)).toEqual(chunks.map((chunk) => [chunk]));
});

describe('a text', () => {
  it.each(['text', 'reasoning'] as const)('is continued under the id that the reader knows: %s', (kind) => {
    const delivered = [start, step, begin('0', kind), delta('0', 'Let ', kind), delta('0', 'me', kind)];
    expect(
      sent(delivered, [
        start,
        step,
        begin('1', kind),
        delta('1', 'Let', kind),
        delta('1', ' me look', kind),
        delta('1', '.', kind),
        end('1', kind),
        stepEnd,
      ]),
    ).toEqual([[], [], [], [], [delta('0', ' look', kind)], [delta('0', '.', kind)], [end('0', kind)], [stepEnd]]);
  });

  it.each(['text', 'reasoning'] as const)('that the reader has is left out: %s', (kind) => {
    const whole = [step, begin('0', kind), delta('0', 'Hi', kind), end('0', kind)];
    expect(sent(whole, [step, begin('0', kind), delta('0', 'H', kind), delta('0', 'i', kind), end('0', kind)])).toEqual(
      [[], [], [], [], []],
    );
  });

  it('that lacks only its end gets it under its id', () => {
    expect(sent([step, begin('0'), delta('0', 'Hi')], [step, begin('1'), delta('1', 'Hi'), end('1')])).toEqual([
      [],
      [],
      [],
      [end('0')],
    ]);
  });

  it.each(['text', 'reasoning'] as const)('that differs ends, and the new one follows: %s', (kind) => {
    const delivered = [step, begin('0', kind), delta('0', 'six', kind)];
    expect(
      sent(delivered, [
        step,
        begin('0', kind),
        delta('0', 's', kind),
        delta('0', 'even', kind),
        delta('0', '.', kind),
        end('0', kind),
      ]),
    ).toEqual([
      [],
      [],
      [],
      [end('0', kind), begin('0-again-1', kind), delta('0-again-1', 'seven', kind)],
      [delta('0-again-1', '.', kind)],
      [end('0-again-1', kind)],
    ]);
  });

  it('that differs keeps its id where the reader does not have it', () => {
    expect(sent([step, begin('0'), delta('0', 'six')], [step, begin('1'), delta('1', 'ten'), end('1')])).toEqual([
      [],
      [],
      [end('0'), begin('1'), delta('1', 'ten')],
      [end('1')],
    ]);
  });

  it('that is longer than one which has ended follows as a whole', () => {
    const delivered = [step, begin('0'), delta('0', 'six'), end('0')];
    expect(sent(delivered, [step, begin('0'), delta('0', 'sixty'), end('0')])).toEqual([
      [],
      [],
      [begin('0-again-1'), delta('0-again-1', 'sixty')],
      [end('0-again-1')],
    ]);
  });

  it('that is shorter follows as a whole when it ends', () => {
    expect(sent([step, begin('0'), delta('0', 'sixty')], [step, begin('0'), delta('0', 'six'), end('0')])).toEqual([
      [],
      [],
      [],
      [end('0'), begin('0-again-1'), delta('0-again-1', 'six'), end('0-again-1')],
    ]);
    expect(sent([step, begin('0'), delta('0', 'six')], [step, begin('0'), end('0')])).toEqual([
      [],
      [],
      [end('0'), begin('0-again-1'), end('0-again-1')],
    ]);
  });

  it('is compared with the one at its place, in each step', () => {
    const delivered = [
      step,
      begin('0'),
      delta('0', 'a'),
      end('0'),
      begin('1'),
      delta('1', 'b'),
      end('1'),
      stepEnd,
      step,
      begin('0'),
      delta('0', 'c'),
    ];
    expect(
      sent(delivered, [
        step,
        begin('x'),
        delta('x', 'a'),
        end('x'),
        begin('y'),
        delta('y', 'b'),
        end('y'),
        begin('z'),
        stepEnd,
        step,
        begin('x'),
        delta('x', 'cd'),
        end('x'),
        stepEnd,
        step,
        begin('x'),
      ]),
    ).toEqual([
      [],
      [],
      [],
      [],
      [],
      [],
      [],
      [begin('z')],
      [],
      [],
      [],
      [delta('0', 'd')],
      [end('0')],
      [stepEnd],
      [step],
      [begin('x')],
    ]);
  });

  it('is known without a step, too', () => {
    expect(sent([begin('0'), delta('0', 'a')], [begin('1'), delta('1', 'ab')])).toEqual([[], [delta('0', 'b')]]);
  });

  it('of an unknown id is sent as it is', () => {
    expect(sent([step, end('x'), delta('x', 'a')], [step, delta('y', 'b'), end('y')])).toEqual([
      [],
      [delta('y', 'b')],
      [end('y')],
    ]);
  });
});

describe('the end of a step', () => {
  it('ends the texts that are not written again, and the calls that are not made again', () => {
    const delivered = [step, begin('r', 'reasoning'), delta('r', 'Hm', 'reasoning'), begin('0'), call];
    expect(sent(delivered, [step, stepEnd])).toEqual([[], [end('0'), end('r', 'reasoning'), dropped, stepEnd]]);
  });

  it('leaves a text that is being continued, and calls that are made again or have a result', () => {
    expect(sent([step, call, half], [step, stepEnd])).toEqual([[], [stepEnd]]);
    expect(sent([step, call], [step, call, stepEnd])).toEqual([[], [], [stepEnd]]);
    expect(sent([step, begin('0')], [step, begin('0'), delta('0', 'a'), stepEnd])).toEqual([
      [],
      [],
      [delta('0', 'a')],
      [stepEnd],
    ]);
  });

  it('is sent once', () => {
    expect(sent([step, stepEnd], [step, stepEnd, step, stepEnd])).toEqual([[], [], [step], [stepEnd]]);
  });
});

it.each<readonly [string, readonly UIMessageChunk[], readonly UIMessageChunk[], readonly UIMessageChunk[]]>([
  ['an input that began', [input, inputDelta], [input, inputDelta, call, output], [input, inputDelta, call, output]],
  ['a call', [input, call], [input, inputDelta, call, half, output], [half, output]],
  ['a preliminary result', [call, half], [input, call, half, output], [half, output]],
  ['a result', [call, output], [input, call, half, output], []],
  ['a failure', [call, failed], [call, half, failed], []],
  ['arguments that do not fit', [input, unfit], [input, call, unfit], []],
  ['a denial', [call, denied], [call, denied], []],
  ['no call', [], [input, call, output], [input, call, output]],
  ['a request', [call, request], [call, request, otherRequest], [otherRequest]],
])('sends of a call what goes further than %s', (_, delivered, chunks, expected) => {
  expect(sent([step, ...delivered], [step, ...chunks]).flat()).toEqual(expected);
});

it.each<UIMessageChunk>([
  source,
  { type: 'source-document', sourceId: 's1', mediaType: 'a/b', title: 'T' },
  { type: 'file', mediaType: 'a/b', url: 'https://a.b' },
  { type: 'reasoning-file', mediaType: 'a/b', url: 'https://a.b' },
  { type: 'custom', kind: 'openai.compaction' },
  { type: 'data-note', data: 1 },
])('sends $type as often as the reader lacks it', (part) => {
  expect(sent([step, part], [step, part, part])).toEqual([[], [], [part]]);
  expect(sent([part], [part])).toEqual([[]]);
  expect(sent([step, part, stepEnd, step], [step, part, stepEnd, step, part])).toEqual([[], [], [], [], [part]]);
});

it.each<UIMessageChunk>([
  { type: 'data-note', id: 'd1', data: 1 },
  { type: 'data-note', data: 1, transient: true },
  { type: 'message-metadata', messageMetadata: { a: 1 } },
  finish,
])('sends $type each time, since it adds no part', (chunk) => {
  expect(sent([step, chunk], [step, chunk])).toEqual([[], [chunk]]);
});
