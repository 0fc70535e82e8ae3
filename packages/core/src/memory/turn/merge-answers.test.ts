import type { Message, MessagePart } from '@halyard/contracts';
import { describe, expect, it } from 'vitest';
import type { InputUIMessage } from '../../model/message.ts';
import { answersInParts, type ClientAnswer, mergeAnswers } from './merge-answers.ts';

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

function result(toolCallId: string, output: unknown): ClientAnswer {
  return { type: 'result', toolCallId, ok: true, output };
}

function approval(approvalId: string, approved = true): ClientAnswer {
  return { type: 'approval', approvalId, approved, reason: undefined, signature: undefined };
}

describe('of two calls with one id', () => {
  const message = answerOf({ type: 'step-start' }, waiting('a', 1), { type: 'step-start' }, waiting('a', 2));

  it('the last takes the result', () => {
    expect(mergeAnswers(message, [result('a', 'done')], always).parts).toEqual([
      { type: 'step-start' },
      waiting('a', 1),
      { type: 'step-start' },
      { ...waiting('a', 2), state: 'output-available', output: 'done' },
    ]);
  });

  it('the first does not take a second result', () => {
    const merge = () => mergeAnswers(message, [result('a', 1), result('a', 2)], always);
    expect(merge).toThrow('body/input contains a result for the call "a", which does not wait for one');
  });

  it('only the last is an answer of a UI message', () => {
    const done = (output: unknown) => ({ ...waiting('a', 1), state: 'output-available', output });
    const sent = { role: 'assistant', parts: [done('first'), waiting('b', 1), done('last')] } as InputUIMessage;
    expect(answersInParts(sent, message, always)).toEqual([result('a', 'last')]);
  });
});

describe('of two calls with one approval', () => {
  it('the last is approved', () => {
    const message = answerOf(asked('a', 'x'), asked('b', 'x'), asked('c', 'y'));
    expect(mergeAnswers(message, [approval('y', false), approval('x')], always).parts).toMatchObject([
      { toolCallId: 'a', state: 'approval-requested' },
      { toolCallId: 'b', state: 'approval-responded', approval: { id: 'x', approved: true } },
      { toolCallId: 'c', state: 'approval-responded', approval: { id: 'y', approved: false } },
    ]);
  });

  it('the first is not approved by a second answer', () => {
    const merge = () =>
      mergeAnswers(answerOf(asked('a', 'x'), asked('b', 'x')), [approval('x'), approval('x')], always);
    expect(merge).toThrow('Approval "x" is not accepted');
  });
});

it('refuses an answer to a call that is not there', () => {
  const message = answerOf({ type: 'text', text: 'Hi' }, waiting('a', 1));
  expect(() => mergeAnswers(message, [result('b', 1)], always)).toThrow('a result for the call "b"');
  expect(() => mergeAnswers(message, [approval('a')], always)).toThrow('Approval "a" is not accepted');
});
