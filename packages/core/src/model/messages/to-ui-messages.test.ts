import { describe, expect, it } from 'vitest';
import type { ModelMessage } from './message.ts';
import { toUiMessages } from './to-ui-messages.ts';

type Content<Role extends ModelMessage['role']> = Exclude<Extract<ModelMessage, { role: Role }>['content'], string>;

function assistant(...content: Content<'assistant'>): ModelMessage {
  return { role: 'assistant', content };
}

function tool(...content: Content<'tool'>): ModelMessage {
  return { role: 'tool', content };
}

function call(toolCallId: string, input: number) {
  return { type: 'tool-call', toolCallId, toolName: 'pay', input } as const;
}

function result(toolCallId: string, value: string) {
  return { type: 'tool-result', toolCallId, toolName: 'pay', output: { type: 'text', value } } as const;
}

function asks(toolCallId: string, approvalId: string) {
  return { type: 'tool-approval-request', toolCallId, approvalId } as const;
}

function answers(approvalId: string, approved: boolean) {
  return { type: 'tool-approval-response', approvalId, approved } as const;
}

/** The calls of each message. */
function callsOf(...messages: readonly ModelMessage[]) {
  return toUiMessages(messages, String).map(({ parts }) => parts.filter((part) => 'toolCallId' in part));
}

describe('of two calls with one id', () => {
  it('the last one before a result gets it', () => {
    const first = [assistant(call('a', 1)), tool(result('a', 'one'))];
    expect(callsOf(...first, assistant(call('a', 2)), tool(result('a', 'two')))).toMatchObject([
      [
        { input: 1, state: 'output-available', output: 'one' },
        { input: 2, state: 'output-available', output: 'two' },
      ],
    ]);
    expect(callsOf(...first, assistant(call('a', 2)))).toMatchObject([
      [
        { input: 1, state: 'output-available', output: 'one' },
        { input: 2, state: 'input-available' },
      ],
    ]);
  });

  it('the last in a step gets all results', () => {
    expect(callsOf(assistant(call('a', 1), call('a', 2)), tool(result('a', 'one'), result('a', 'two')))).toMatchObject([
      [
        { input: 1, state: 'input-available' },
        { input: 2, state: 'output-available', output: 'two' },
      ],
    ]);
  });

  it('that of an earlier answer gets none', () => {
    const next: ModelMessage = { role: 'user', content: 'Go on' };
    expect(callsOf(assistant(call('a', 1)), next, tool(result('a', 'one'), answers('x', true)))).toMatchObject([
      [{ input: 1, state: 'input-available' }],
      [],
      [],
    ]);
  });
});

describe('of two calls with one approval', () => {
  it.each([
    ['in their order', [asks('a', 'x'), asks('b', 'x')]],
    ['in reverse order', [asks('b', 'x'), asks('a', 'x')]],
  ])('the last is approved, if they were requested %s', (_, requests) => {
    const messages = [assistant(call('a', 1), call('b', 2), ...requests), tool(answers('x', true))];
    expect(callsOf(...messages)).toMatchObject([
      [
        { toolCallId: 'a', state: 'approval-requested', approval: { id: 'x' } },
        { toolCallId: 'b', state: 'approval-responded', approval: { id: 'x', approved: true } },
      ],
    ]);
  });
});

it('ignores the answer to an approval that another one has replaced', () => {
  const messages = [assistant(call('a', 1), asks('a', 'x'), asks('a', 'y')), tool(answers('x', true))];
  expect(callsOf(...messages)).toMatchObject([[{ state: 'approval-requested', approval: { id: 'y' } }]]);
  const both = tool(answers('x', true), answers('y', false));
  expect(callsOf(...messages.slice(0, 1), both)).toMatchObject([
    [{ state: 'approval-responded', approval: { id: 'y', approved: false } }],
  ]);
});
