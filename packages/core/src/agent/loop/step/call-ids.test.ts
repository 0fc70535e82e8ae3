import { expect, it } from 'vitest';
import type { ModelPart, Prompt } from '../../../model/providers/model-port.ts';
import { CallIds } from './call-ids.ts';

const asked: Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Go' }] }];
const called = (...ids: readonly string[]): Prompt => [
  {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'look', input: {} })),
  },
];
const call = (toolCallId: string): ModelPart => ({ type: 'tool-call', toolCallId, toolName: 'look', input: '{}' });
const streamed = (id: string): readonly ModelPart[] => [
  { type: 'tool-input-start', id, toolName: 'look' },
  { type: 'tool-input-delta', id, delta: '{}' },
  { type: 'tool-input-end', id },
  call(id),
];
const idsOf = (prompt: Prompt, ...parts: readonly ModelPart[]): readonly unknown[] => {
  const ids = new CallIds();
  ids.know(prompt);
  return parts.map((part) => {
    const unique = ids.unique(part);
    return 'toolCallId' in unique ? unique.toolCallId : 'id' in unique ? unique.id : unique;
  });
};

it('leaves ids that are unique', () => {
  expect(idsOf(asked, ...streamed('a'), ...streamed('b'), call('c')).join(' ')).toBe('a a a a b b b b c');
});

it('gives the second call of an answer another id, with all parts of its input', () => {
  const ids = idsOf(asked, ...streamed('call_0'), ...streamed('call_0'), call('call_0'));
  expect(new Set(ids.slice(0, 4))).toEqual(new Set(['call_0']));
  expect(new Set(ids.slice(4, 8))).toEqual(new Set(['call_0_2']));
  expect(ids[8]).toBe('call_0_3');
});

it('knows the calls of the steps before, but not those of other answers', () => {
  expect(idsOf([...asked, ...called('a', 'a_2')], call('a'))).toEqual(['a_3']);
  expect(idsOf([...asked, ...called('a'), ...asked], call('a'))).toEqual(['a']);
});

it('leaves calls that the provider runs', () => {
  const search: ModelPart = {
    type: 'tool-call',
    toolCallId: 'a',
    toolName: 'search',
    input: '{}',
    providerExecuted: true,
  };
  const start: ModelPart = { type: 'tool-input-start', id: 'a', toolName: 'search', providerExecuted: true };
  const end: ModelPart = { type: 'tool-input-end', id: 'a' };
  expect(idsOf([...asked, ...called('a')], start, end, search, { type: 'ping' })).toEqual([
    'a',
    'a',
    'a',
    { type: 'ping' },
  ]);
});

it('remembers the calls of a step after which the app has added a message of the user', () => {
  const ids = new CallIds();
  ids.know(asked);
  ids.unique(call('a'));
  ids.know([...asked, ...called('a'), ...asked]);
  expect(ids.unique(call('a'))).toMatchObject({ toolCallId: 'a_2' });
});
