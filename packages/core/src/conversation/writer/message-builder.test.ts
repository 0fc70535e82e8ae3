import type { MessagePart } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../agent/agent-event.ts';
import { noUsage } from '../../agent/usage.ts';
import { MessageBuilder } from './message-builder.ts';

const p1 = { p: { n: 1 } };
const p2 = { p: { n: 2 } };
const step: AgentEvent = { type: 'start-step' };
const finishStep: AgentEvent = { type: 'finish-step', finishReason: 'stop', usage: noUsage };
const call = { toolCallId: 'c1', toolName: 'pay', input: { euros: 5 } };
const part = { type: 'tool-pay', toolCallId: 'c1', state: 'input-available', input: { euros: 5 } };

/** The parts after the events, and whether each event changed the content. */
function read(events: readonly AgentEvent[], parts: MessagePart[] = []) {
  const answer = new MessageBuilder(parts);
  const changes = events.map((event) => answer.add(event));
  return { answer, changes, parts: answer.snapshot(true) };
}

const partsOf = (...events: readonly AgentEvent[]): readonly MessagePart[] => read(events).parts;

describe('texts and reasoning', () => {
  it('grow piece by piece, several at a time, each by its kind and id', () => {
    const { changes, parts } = read([
      step,
      { type: 'text-start', id: '1' },
      { type: 'reasoning-start', id: '1' },
      { type: 'text-start', id: '2' },
      { type: 'text-delta', id: '1', delta: 'He' },
      { type: 'reasoning-delta', id: '1', delta: 'Hm' },
      { type: 'text-delta', id: '2', delta: 'Bye' },
      { type: 'text-delta', id: '1', delta: 'llo' },
      { type: 'text-end', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: '.' },
      { type: 'reasoning-end', id: '1' },
      finishStep,
    ]);
    expect(parts).toStrictEqual([
      { type: 'step-start' },
      { type: 'text', text: 'Hello', state: 'done' },
      { type: 'reasoning', id: '1', text: 'Hm.', state: 'done' },
      { type: 'text', text: 'Bye', state: 'done' },
    ]);
    expect(changes).toEqual([false, ...Array<boolean>(11).fill(true)]);
  });

  it('do not grow after their end, or before their start', () => {
    expect(
      partsOf(
        { type: 'text-delta', id: '1', delta: 'early' },
        { type: 'text-end', id: '1' },
        { type: 'text-start', id: '1' },
        { type: 'text-end', id: '1' },
        { type: 'text-delta', id: '1', delta: 'late' },
      ),
    ).toEqual([{ type: 'text', text: '', state: 'done' }]);
  });

  it('may use the id of another again', () => {
    const text = (delta: string): readonly AgentEvent[] => [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta },
    ];
    expect(partsOf(...text('one'), ...text('two'))).toMatchObject([{ text: 'one' }, { text: 'two' }]);
  });

  it('have the newest metadata of their provider, and the citations of their end', () => {
    const citations = [{ type: 'url', url: 'https://a.example' }] as never;
    expect(
      partsOf(
        { type: 'text-start', id: '1', providerMetadata: p1 },
        { type: 'text-end', id: '1', citations },
        { type: 'reasoning-start', id: '2', providerMetadata: p1 },
        { type: 'reasoning-end', id: '2', providerMetadata: p2 },
        { type: 'text-start', id: '3', providerMetadata: p1 },
        { type: 'text-delta', id: '3', delta: 'a', providerMetadata: p2 },
        { type: 'text-end', id: '3' },
      ),
    ).toStrictEqual([
      { type: 'text', text: '', state: 'done', providerMetadata: p1, citations },
      { type: 'reasoning', id: '2', text: '', state: 'done', providerMetadata: p2 },
      { type: 'text', text: 'a', state: 'done', providerMetadata: p2 },
    ]);
  });
});

describe('a call', () => {
  it('is left out until its input is complete', () => {
    const start: AgentEvent = { type: 'tool-input-start', id: 'c1', toolName: 'pay' };
    expect(read([start])).toMatchObject({ changes: [true], parts: [] });
    expect(partsOf(start, { type: 'tool-call', ...call })).toEqual([part]);
  });

  it('has its title, its provider and the metadata of its provider', () => {
    const marks = { title: 'Pay', providerExecuted: true, providerMetadata: p1 };
    const stored = { title: 'Pay', providerExecuted: true, callProviderMetadata: p1 };
    const bare: AgentEvent = { type: 'tool-call', ...call };
    expect(partsOf({ ...bare, ...marks })).toEqual([{ ...part, ...stored }]);
    expect(partsOf({ type: 'tool-input-start', id: 'c1', toolName: 'pay', ...marks }, bare)).toEqual([
      { ...part, ...stored },
    ]);
    expect(Object.keys(partsOf(bare)[0] ?? {})).toEqual(['type', 'toolCallId', 'state', 'input']);
  });

  it('of a tool that is not the agent’s has its name in a field', () => {
    expect(partsOf({ type: 'tool-call', ...call, dynamic: true })).toEqual([
      { ...part, type: 'dynamic-tool', toolName: 'pay' },
    ]);
  });

  it('has its result, the last one', () => {
    const { changes, parts } = read([
      { type: 'tool-call', ...call },
      { type: 'tool-result', ...call, output: 'paying', preliminary: true },
      { type: 'tool-result', ...call, output: 'paid', providerMetadata: p2 },
    ]);
    expect(parts).toEqual([{ ...part, state: 'output-available', output: 'paid', resultProviderMetadata: p2 }]);
    expect(changes).toEqual([true, false, true]);
    expect(partsOf({ type: 'tool-call', ...call }, { type: 'tool-result', ...call, output: undefined })).toEqual([
      { ...part, state: 'output-available', output: null },
    ]);
  });

  it('has its error, and the input that could not be read', () => {
    expect(partsOf({ type: 'tool-call', ...call }, { type: 'tool-error', ...call, input: 'x', error: 'no' })).toEqual([
      { ...part, state: 'output-error', errorText: 'no' },
    ]);
    const invalid = { ...call, input: '{', invalidInput: true } as const;
    const { changes, parts } = read([
      { type: 'tool-input-start', id: 'c1', toolName: 'pay' },
      { type: 'tool-call', ...invalid },
      { type: 'tool-error', ...invalid, error: 'not JSON' },
    ]);
    expect(parts).toEqual([{ ...part, state: 'output-error', input: '{', errorText: 'not JSON' }]);
    expect(changes).toEqual([true, true, true]);
  });

  it('that is known only by its outcome is stored with it', () => {
    expect(partsOf({ type: 'tool-result', ...call, output: 1, providerExecuted: true })).toEqual([
      { ...part, state: 'output-available', output: 1, providerExecuted: true },
    ]);
    expect(partsOf({ type: 'tool-error', ...call, error: 'no' })).toEqual([
      { ...part, state: 'output-error', errorText: 'no' },
    ]);
  });

  it('that was denied is marked, if it is there', () => {
    const denied = { type: 'tool-error', ...call, error: 'Denied', denied: true } as const;
    expect(partsOf({ type: 'tool-call', ...call }, denied)).toEqual([{ ...part, state: 'output-denied' }]);
    expect(partsOf(denied)).toEqual([]);
  });

  it('waits for approval, and has the answer to it', () => {
    const { answer } = read([{ type: 'tool-call', ...call, approvalId: 'a1', signature: 's' }]);
    answer.answer('c2', { approved: true, reason: undefined });
    const asked = { ...part, state: 'approval-requested', approval: { id: 'a1.s' } };
    expect(answer.snapshot(false)).toEqual([asked]);
    answer.answer('c1', { approved: false, reason: 'no' });
    const answered = { id: 'a1.s', approved: false, reason: 'no' };
    expect(answer.snapshot(false)).toEqual([{ ...part, state: 'approval-responded', approval: answered }]);
    const [bare] = partsOf({ type: 'tool-call', ...call, approvalId: 'a1' });
    expect(bare).toStrictEqual({ ...part, state: 'approval-requested', approval: { id: 'a1' } });
    const plain = read([{ type: 'tool-call', ...call }]).answer;
    plain.answer('c1', { approved: true, reason: undefined });
    expect(plain.snapshot(true)).toEqual([part]);
  });

  it('of a later step may have the id of an earlier one, whose result stays', () => {
    expect(
      partsOf(
        step,
        { type: 'tool-call', ...call },
        { type: 'tool-result', ...call, output: 1 },
        step,
        { type: 'tool-call', ...call },
        { type: 'tool-result', ...call, output: 2 },
      ),
    ).toMatchObject([{}, { output: 1 }, {}, { output: 2 }]);
  });

  it('of an earlier step has the result that arrives later', () => {
    expect(
      partsOf(step, { type: 'tool-call', ...call }, step, { type: 'tool-result', ...call, output: 1 }),
    ).toMatchObject([{}, { output: 1 }, { type: 'step-start' }]);
  });
});

describe('other parts', () => {
  it('are sources, files, content of the provider and data', () => {
    const { changes, parts } = read([
      { type: 'source', sourceType: 'url', id: 's1', url: 'https://a.example', title: 'A', providerMetadata: p1 },
      { type: 'source', sourceType: 'url', id: 's2', url: 'https://b.example' },
      { type: 'source', sourceType: 'document', id: 's3', mediaType: 'text/plain', title: 'C', filename: 'c.txt' },
      { type: 'source', sourceType: 'document', id: 's4', mediaType: 'text/plain', title: 'D' },
      { type: 'file', mediaType: 'image/png', url: 'data:,1', providerMetadata: p1 },
      { type: 'reasoning-file', mediaType: 'image/png', url: 'data:,2' },
      { type: 'custom', kind: 'p.thing', providerMetadata: p1 },
      { type: 'data', part: { type: 'data-a', id: '1', data: 1 } },
      { type: 'data', part: { type: 'data-a', data: 2 }, transient: true },
      { type: 'raw', rawValue: 1 } as never,
    ]);
    expect(parts).toStrictEqual([
      { type: 'source-url', sourceId: 's1', url: 'https://a.example', title: 'A', providerMetadata: p1 },
      { type: 'source-url', sourceId: 's2', url: 'https://b.example' },
      { type: 'source-document', sourceId: 's3', mediaType: 'text/plain', title: 'C', filename: 'c.txt' },
      { type: 'source-document', sourceId: 's4', mediaType: 'text/plain', title: 'D' },
      { type: 'file', mediaType: 'image/png', url: 'data:,1', providerMetadata: p1 },
      { type: 'reasoning-file', mediaType: 'image/png', url: 'data:,2' },
      { type: 'custom', kind: 'p.thing', providerMetadata: p1 },
      { type: 'data-a', id: '1', data: 1 },
    ]);
    expect(changes).toEqual([...Array<boolean>(8).fill(true), false, false]);
  });

  it('replace data with the same id of the same type', () => {
    const data = (type: `data-${string}`, id: string | undefined, value: number): AgentEvent => ({
      type: 'data',
      part: { type, data: value, ...(id !== undefined && { id }) },
    });
    expect(
      partsOf(
        data('data-a', '1', 1),
        data('data-b', '1', 2),
        data('data-a', '2', 3),
        data('data-a', undefined, 4),
        data('data-a', undefined, 5),
        data('data-a', '1', 6),
      ).map((one) => ('data' in one ? one.data : one)),
    ).toEqual([6, 2, 3, 4, 5]);
  });
});

describe('an answer', () => {
  it.each<[string, readonly AgentEvent[], boolean]>([
    ['nothing', [], false],
    ['only a step', [step], false],
    ['an empty text', [step, { type: 'text-start', id: '1' }], false],
    ['an empty reasoning', [{ type: 'reasoning-start', id: '1' }], false],
    ['a call that is being written', [{ type: 'tool-input-start', id: 'c1', toolName: 'pay' }], false],
    ['a call', [{ type: 'tool-call', ...call }], true],
    ['a file', [{ type: 'file', mediaType: 'a/b', url: 'data:,' }], true],
    [
      'a text',
      [
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: 'a' },
      ],
      true,
    ],
    [
      'reasoning',
      [
        { type: 'reasoning-start', id: '1' },
        { type: 'reasoning-delta', id: '1', delta: 'a' },
      ],
      true,
    ],
  ])('of %s is stored: %s, %s', (_, events, isWorthStoring) => {
    expect(read(events).answer.isWorthStoring).toBe(isWorthStoring);
  });

  it('that continues a message is always stored, and has its parts first', () => {
    const { answer, parts } = read([step], [{ type: 'step-start' }]);
    expect(answer.isWorthStoring).toBe(true);
    expect(parts).toEqual([{ type: 'step-start' }, { type: 'step-start' }]);
  });

  it('can be read while it is written: a snapshot does not change', () => {
    const { answer } = read([{ type: 'text-start', id: '1' }]);
    const before = answer.snapshot(false);
    answer.add({ type: 'text-delta', id: '1', delta: 'Hi' });
    expect(before).toMatchObject([{ text: '' }]);
    expect(answer.snapshot(true)[0]).toBe(answer.snapshot(true)[0]);
  });

  it('loses its last step, and keeps the earlier ones', () => {
    const { answer } = read([step, { type: 'tool-call', ...call }, step, { type: 'text-start', id: '1' }]);
    answer.dropStep();
    expect(answer.snapshot(false)).toEqual([{ type: 'step-start' }, part]);
    answer.dropStep();
    answer.dropStep();
    expect(answer.snapshot(false)).toEqual([]);
    const rest = read([{ type: 'file', mediaType: 'a/b', url: 'data:,' }]).answer;
    rest.dropStep();
    expect(rest.snapshot(true)).toEqual([]);
  });

  it('adopts changed parts, and goes on to write the others', () => {
    const { answer } = read([
      { type: 'text-start', id: '1' },
      { type: 'tool-call', ...call },
    ]);
    const done = { ...part, state: 'output-available', output: 1 } as MessagePart;
    answer.change(([text]) => [text as MessagePart, done]);
    answer.add({ type: 'text-delta', id: '1', delta: 'Hi' });
    expect(answer.snapshot(true)).toEqual([{ type: 'text', text: 'Hi', state: 'done' }, done]);
    expect(answer.snapshot(true)[1]).not.toBe(done);
  });
});

describe('a step that is cut', () => {
  const written: readonly AgentEvent[] = [
    step,
    { type: 'reasoning-start', id: 'r', providerMetadata: p1 },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
    { type: 'custom', kind: 'p.thing', providerMetadata: p1 },
    { type: 'tool-call', ...call, toolCallId: 's1', providerExecuted: true, providerMetadata: p1 },
    { type: 'text-start', id: 't', providerMetadata: p1 },
    { type: 'text-delta', id: 't', delta: 'Half' },
    { type: 'tool-call', ...call, providerMetadata: p1 },
  ];
  const mark = { halyard: { cut: true } };
  const cut = [
    { type: 'step-start' },
    { type: 'reasoning', id: 'r', text: 'Hm', state: 'done', providerMetadata: mark },
    { ...part, toolCallId: 's1', providerExecuted: true, callProviderMetadata: mark },
    { type: 'text', text: 'Half', state: 'done' },
    part,
  ];

  it('has no metadata of the provider, and a mark on what models do not receive again', () => {
    expect(partsOf(...written)).toStrictEqual(cut);
  });

  it('does not change the steps before it', () => {
    const first = partsOf(...written, finishStep);

    expect(first).toContainEqual({ type: 'text', text: 'Half', state: 'done', providerMetadata: p1 });
    expect(partsOf(...written, finishStep, ...written)).toStrictEqual([...first, ...cut]);
  });

  it('is not one whose tools have results', () => {
    const { parts } = read([...written, { type: 'tool-result', ...call, output: 1 }]);

    expect(parts).toContainEqual({ type: 'text', text: 'Half', state: 'done', providerMetadata: p1 });
  });
});
