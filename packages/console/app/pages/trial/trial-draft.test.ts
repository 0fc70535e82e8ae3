import { expect, it } from 'vitest';
import { toDraft, toReply, toRequest } from './trial-draft.ts';

type Span = Parameters<typeof toDraft>[0];

const text = (content: string): object => ({ type: 'text', content });
const span = {
  durationMs: 1_200,
  status: { code: 0 },
  attributes: {
    'gen_ai.request.model': 'gpt-5-mini',
    'gen_ai.response.model': 'gpt-5-mini-2026',
    'gen_ai.request.temperature': 0.4,
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 3,
    'gen_ai.usage.cost': 0.5,
    'gen_ai.system_instructions': JSON.stringify([text('Be kind.'), text('Be brief.')]),
    'gen_ai.input.messages': JSON.stringify([
      { role: 'user', parts: [text('Where is it?')] },
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', content: 'Hm' },
          { type: 'tool_call', id: 'c1', name: 'track', arguments: { id: 'K-1' } },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: { type: 'text', value: 'Leipzig' } }] },
      { role: 'user', parts: [{ type: 'blob', content: '' }] },
    ]),
    'gen_ai.tool.definitions': JSON.stringify([
      { type: 'function', name: 'track', description: 'Tracks', parameters: { type: 'object' } },
      { type: 'provider', name: 'search' },
    ]),
    'gen_ai.output.messages': JSON.stringify([
      {
        role: 'assistant',
        parts: [text('In Leipzig.'), { type: 'tool_call', id: 'c2', name: 'track', arguments: {} }],
      },
    ]),
  },
} as Partial<Span> as Span;

it('sends a recorded call as it was, until a person changes it', () => {
  const request = toRequest(toDraft(span), 'gpt-5-mini');
  expect(request).toEqual({
    body: {
      instructions: 'Be kind.\n\nBe brief.',
      messages: [
        { role: 'user', content: 'Where is it?' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'track', input: { id: 'K-1' } }],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c1', toolName: 'track', output: { type: 'text', value: 'Leipzig' } },
          ],
        },
      ],
      tools: [{ name: 'track', description: 'Tracks', inputSchema: { type: 'object' } }],
      settings: { temperature: 0.4 },
    },
  });
});

it('sends what was changed, and no tool that is not offered', () => {
  const draft = toDraft(span);
  const [first] = draft.messages;
  if (first === undefined) throw new Error('There is no message');
  const edited = {
    ...draft,
    model: 'claude',
    messages: [{ ...first, text: 'And now?' }],
    tools: draft.tools.map((tool) => ({ ...tool, isOffered: false })),
  };
  expect(toRequest(edited, 'gpt-5-mini')).toEqual({
    body: {
      instructions: 'Be kind.\n\nBe brief.',
      messages: [{ role: 'user', content: 'And now?' }],
      model: 'claude',
      settings: { temperature: 0.4 },
    },
  });
});

it('says why a draft is no request yet', () => {
  const draft = toDraft(span);
  const broken = draft.messages.map((message) => (message.isJson ? { ...message, text: '[' } : message));
  expect(toRequest({ ...draft, messages: broken }, '')).toEqual({ problem: 'A message of the assistant is not JSON.' });
  expect(toRequest({ ...draft, messages: [] }, '')).toEqual({ problem: 'There is no message.' });
  const tools = draft.tools.map((tool) => ({ ...tool, text: '{' }));
  expect(toRequest({ ...draft, tools }, '')).toEqual({ problem: 'The tool track is not JSON.' });
});

it('reads the recorded reply', () => {
  expect(toReply(span)).toEqual({
    text: 'In Leipzig.',
    toolCalls: [{ toolCallId: 'c2', toolName: 'track', input: {} }],
    model: 'gpt-5-mini-2026',
    inputTokens: 12,
    outputTokens: 3,
    durationMs: 1_200,
    cost: 0.5,
    error: undefined,
  });
});

it('has an empty draft of a call whose contents were not recorded', () => {
  const bare = { ...span, attributes: {}, status: { code: 2, message: 'overloaded' } } as Span;
  expect(toDraft(bare)).toEqual({ model: '', instructions: '', messages: [], tools: [], settings: {} });
  expect(toReply(bare)).toMatchObject({ text: '', toolCalls: [], cost: null, error: 'overloaded' });
});
