import type { Message, MessagePart } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import type { InputUIMessage } from '../model/messages/message.ts';
import {
  responsesInContents,
  responsesInParts,
  type ClientResponse,
  mergeResponses,
  withOutcomes,
} from './client-responses.ts';

const always = (): boolean => true;

function waiting(toolCallId: string, input: unknown): MessagePart {
  return { type: 'tool-pick', toolCallId, state: 'input-available', input };
}

function asked(toolCallId: string, id: string): MessagePart {
  return { type: 'tool-pay', toolCallId, state: 'approval-requested', input: {}, approval: { id } };
}

function answerOf(...parts: readonly MessagePart[]): Message {
  return { id: 'm', role: 'assistant', parts: [...parts] };
}

function result(toolCallId: string, output: unknown): ClientResponse {
  return { type: 'result', toolCallId, ok: true, output };
}

function approval(approvalId: string, approved = true): ClientResponse {
  return { type: 'approval', approvalId, approved, reason: undefined, signature: undefined };
}

describe('of two calls with one id', () => {
  const message = answerOf({ type: 'step-start' }, waiting('a', 1), { type: 'step-start' }, waiting('a', 2));

  it('the last takes the result', () => {
    expect(mergeResponses(message, [result('a', 'done')], always).parts).toEqual([
      { type: 'step-start' },
      waiting('a', 1),
      { type: 'step-start' },
      { ...waiting('a', 2), state: 'output-available', output: 'done' },
    ]);
  });

  it('the first does not take a second result', () => {
    const merge = () => mergeResponses(message, [result('a', 1), result('a', 2)], always);
    expect(merge).toThrow('body/input contains a result for the call "a", which does not wait for one');
  });

  it('only the last is an answer of a UI message', () => {
    const done = (output: unknown) => ({ ...waiting('a', 1), state: 'output-available', output });
    const sent = { role: 'assistant', parts: [done('first'), waiting('b', 1), done('last')] } as InputUIMessage;
    expect(responsesInParts(sent, message, always)).toEqual([result('a', 'last')]);
  });
});

describe('of two calls with one approval', () => {
  it('the last is approved', () => {
    const message = answerOf(asked('a', 'x'), asked('b', 'x'), asked('c', 'y'));
    expect(mergeResponses(message, [approval('y', false), approval('x')], always).parts).toMatchObject([
      { toolCallId: 'a', state: 'approval-requested' },
      { toolCallId: 'b', state: 'approval-responded', approval: { id: 'x', approved: true } },
      { toolCallId: 'c', state: 'approval-responded', approval: { id: 'y', approved: false } },
    ]);
  });

  it('the first is not approved by a second answer', () => {
    const merge = () =>
      mergeResponses(answerOf(asked('a', 'x'), asked('b', 'x')), [approval('x'), approval('x')], always);
    expect(merge).toThrow('Approval "x" is not accepted');
  });
});

it('refuses an answer to a call that is not there', () => {
  const message = answerOf({ type: 'text', text: 'Hi' }, waiting('a', 1));
  expect(() => mergeResponses(message, [result('b', 1)], always)).toThrow('a result for the call "b"');
  expect(() => mergeResponses(message, [approval('a')], always)).toThrow('Approval "a" is not accepted');
});

describe('an answer of a client', () => {
  const denial: ClientResponse = { type: 'approval', approvalId: 'x', approved: false, reason: 'no', signature: 's2' };

  it('is stored with its signature and its reason', () => {
    const signed = { ...asked('a', 'x'), approval: { id: 'x', signature: 's1' } } as MessagePart;
    const merged = (answer: ClientResponse) => mergeResponses(answerOf(signed), [answer], always).parts[0];
    expect(merged(denial)).toStrictEqual({
      ...asked('a', 'x'),
      state: 'approval-responded',
      approval: { id: 'x.s2', approved: false, reason: 'no' },
    });
    expect(merged(approval('x'))).toStrictEqual({
      ...asked('a', 'x'),
      state: 'approval-responded',
      approval: { id: 'x', approved: true },
    });
  });

  it('is the error of the client’s tool', () => {
    const failed: ClientResponse = { type: 'result', toolCallId: 'a', ok: false, errorText: 'lost' };
    expect(mergeResponses(answerOf(waiting('a', 1)), [failed], always).parts).toEqual([
      { ...waiting('a', 1), state: 'output-error', errorText: 'lost' },
    ]);
  });

  it('leaves the message itself, and its other fields, as they are', () => {
    const message = { ...answerOf(waiting('a', 1)), metadata: { by: 'ada' } };
    const merged = mergeResponses(message, [result('a', 1)], always);
    expect(merged).toMatchObject({ id: 'm', role: 'assistant', metadata: { by: 'ada' } });
    expect(message.parts).toEqual([waiting('a', 1)]);
  });

  const refusedResult = 'body/input contains a result for the call "a", which does not wait for one';

  it.each<[string, MessagePart]>([
    ['has one', { ...waiting('a', 1), state: 'output-available', output: 1 } as MessagePart],
    ['the provider runs', { ...waiting('a', 1), providerExecuted: true } as MessagePart],
    ['waits for approval', asked('a', 'x')],
  ])('is no result of a call that %s', (_, part) => {
    expect(() => mergeResponses(answerOf(part), [result('a', 1)], always)).toThrow(refusedResult);
  });

  it('is a result of a tool of the client, or of one that the agent does not have', () => {
    const dynamic = { ...waiting('a', 1), type: 'dynamic-tool', toolName: 'zoom' } as MessagePart;
    const names: string[] = [];
    const merge = (part: MessagePart, isClientSide: boolean | undefined) =>
      mergeResponses(answerOf(part), [result('a', 1)], (name) => {
        names.push(name);
        return isClientSide;
      });
    expect(merge(waiting('a', 1), undefined).parts).toMatchObject([{ output: 1 }]);
    expect(merge(dynamic, true).parts).toMatchObject([{ output: 1 }]);
    expect(() => merge(waiting('a', 1), false)).toThrow(refusedResult);
    expect(names).toEqual(['pick', 'zoom', 'pick']);
  });

  it('is no second answer to an approval', () => {
    const answered = { ...asked('a', 'x'), state: 'approval-responded', approval: { id: 'x', approved: true } };
    expect(() => mergeResponses(answerOf(answered as MessagePart), [denial], always)).toThrow('Approval "x"');
  });
});

describe('the answers in a message of `useChat`', () => {
  const stored = answerOf(waiting('a', 1), waiting('b', 1), asked('c', 'x'));
  const answers = (...parts: readonly object[]) =>
    responsesInParts({ role: 'assistant', parts } as InputUIMessage, stored, always);

  it('are approvals, results and errors of calls that wait', () => {
    const approved = { id: 'x', approved: true, reason: 'fine', signature: 's' };
    expect(
      answers(
        { type: 'text', text: 'Hi' },
        { ...waiting('a', 1), state: 'output-available', output: 1 },
        { ...waiting('b', 1), state: 'output-error', errorText: 'lost' },
        { ...asked('c', 'x'), state: 'approval-responded', approval: approved },
      ),
    ).toEqual([
      result('a', 1),
      { type: 'result', toolCallId: 'b', ok: false, errorText: 'lost' },
      {
        type: 'approval',
        approvalId: 'x',
        approved: true,
        reason: 'fine',
        signature: 's',
        shown: [{ toolCallId: 'c', toolName: 'pay', input: {} }],
      },
    ]);
  });

  it('are not the calls that wait, nor results of calls that do not', () => {
    expect(
      answers(
        waiting('a', 1),
        asked('c', 'x'),
        { ...waiting('d', 1), state: 'output-available', output: 1 },
        { ...waiting('e', 1), state: 'output-error', errorText: 'no' },
      ),
    ).toEqual([]);
  });
});

it('reads results and approvals of raw clients', () => {
  const output = (value: object) => ({ type: 'tool-result', toolName: 'pick', output: value }) as const;
  const content = [
    { ...output({ type: 'text', value: 'blue' }), toolCallId: 'a' },
    { ...output({ type: 'error-text', value: 'lost' }), toolCallId: 'b' },
    { type: 'tool-approval-response', approvalId: 'x', approved: false, reason: 'no', signature: 's' },
  ];
  expect(responsesInContents([{ role: 'tool', content } as never])).toEqual([
    result('a', 'blue'),
    { type: 'result', toolCallId: 'b', ok: false, errorText: 'lost' },
    { type: 'approval', approvalId: 'x', approved: false, reason: 'no', signature: 's' },
  ]);
});

describe('what another run has stored', () => {
  const responded = {
    ...asked('a', 'x'),
    state: 'approval-responded',
    approval: { id: 'x', approved: true },
  } as MessagePart;
  const done = { ...asked('a', 'x'), state: 'output-available', output: 1 } as MessagePart;
  const denied = { ...asked('a', 'x'), state: 'output-denied' } as MessagePart;
  const picked = { ...waiting('a', 1), state: 'output-error', errorText: 'no' } as MessagePart;

  it.each<[MessagePart, MessagePart | undefined, 'ours' | 'theirs']>([
    [asked('a', 'x'), responded, 'theirs'],
    [asked('a', 'x'), done, 'theirs'],
    [responded, done, 'theirs'],
    [responded, denied, 'theirs'],
    [waiting('a', 1), picked, 'theirs'],
    [responded, asked('a', 'x'), 'ours'],
    [done, responded, 'ours'],
    [done, denied, 'ours'],
    [asked('a', 'x'), asked('a', 'x'), 'ours'],
    [asked('b', 'x'), done, 'ours'],
    [asked('a', 'x'), undefined, 'ours'],
    [asked('a', 'x'), { type: 'text', text: 'a' }, 'ours'],
    [{ type: 'text', text: 'a' }, done, 'ours'],
  ])('counts where it is further (row %#)', (ours, theirs, kept) => {
    const [part] = withOutcomes([ours], theirs === undefined ? [] : [theirs]);
    expect(part).toBe(kept === 'ours' ? ours : theirs);
  });
});
