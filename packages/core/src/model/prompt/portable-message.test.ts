import { describe, expect, it } from 'vitest';
import type { AssistantPart, PromptMessage, ToolPrompt } from '../providers/model-port.ts';
import { portableMessage } from './portable-message.ts';

const half = 'Cut \ud83d';
const repaired = 'Cut �';
const call = (fields: Partial<Extract<AssistantPart, { type: 'tool-call' }>> = {}): PromptMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: {}, ...fields }],
});
type ToolPart = Extract<ToolPrompt['content'][number], { type: 'tool-result' }>;
const result = (fields: Partial<ToolPart> = {}): PromptMessage => ({
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: 'c1', toolName: 'look', output: { type: 'text', value: 'Rain' }, ...fields },
  ],
});
const sent = (message: PromptMessage, provider = 'anthropic.messages'): unknown =>
  portableMessage(message, provider).content;

describe('half of a surrogate pair', () => {
  it.each<readonly [string, PromptMessage]>([
    ['instructions', { role: 'system', content: half }],
    ['a question', { role: 'user', content: [{ type: 'text', text: half }] }],
    [
      'the name of a file',
      {
        role: 'user',
        content: [
          { type: 'file', filename: half, mediaType: 'text/plain', data: { type: 'data', data: new Uint8Array(1) } },
        ],
      },
    ],
    ['an answer', { role: 'assistant', content: [{ type: 'text', text: half }] }],
    ['reasoning', { role: 'assistant', content: [{ type: 'reasoning', text: half }] }],
    ['arguments', call({ input: { deep: [{ text: half }] } })],
    ['the name of an argument', call({ input: { [half]: 1 } })],
    ['a result', result({ output: { type: 'text', value: half } })],
    ['a result of JSON', result({ output: { type: 'json', value: { list: [half] } } })],
    ['an error', result({ output: { type: 'error-text', value: half } })],
  ])('is replaced in %s', (_place, message) => {
    const text = JSON.stringify(sent(message));
    expect(text).toContain(repaired);
    expect(text).not.toMatch(/\\ud83d/i);
  });

  it('leaves everything else as it is, files included', () => {
    const data = new Uint8Array([1, 2]);
    const url = new URL('https://example.com/a.png');
    const message: PromptMessage = {
      role: 'user',
      content: [
        { type: 'text', text: 'A whole 😀' },
        { type: 'file', mediaType: 'image/png', data: { type: 'data', data } },
        { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
      ],
    };
    expect(portableMessage(message, 'openai.responses')).toBe(message);
    const broken = { ...message, content: [{ type: 'text' as const, text: half }, ...message.content.slice(1)] };
    expect(sent(broken)).toEqual([{ type: 'text', text: repaired }, ...message.content.slice(1)]);
  });
});

describe('the name of a tool that does not exist', () => {
  it.each([
    ['browser.search', 'browser_search'],
    ['look it up', 'look_it_up'],
    ['functions.look:0', 'functions_look_0'],
    ['прогноз', '_______'],
    ['', '_'],
    ['x'.repeat(200), 'x'.repeat(64)],
    ['look-up_2', 'look-up_2'],
  ])('%j is sent as %j, with the call and its result', (toolName, name) => {
    expect(sent(call({ toolName }), 'local.chat')).toMatchObject([{ toolName: name }]);
    expect(sent(result({ toolName }), 'local.chat')).toMatchObject([{ toolName: name }]);
  });

  it('is left where a provider has run it', () => {
    expect(sent(call({ toolName: 'mcp.roll', providerExecuted: true }))).toMatchObject([{ toolName: 'mcp.roll' }]);
  });
});

describe('the id of a call', () => {
  it.each(['functions.look:0', 'a b', 'call|1', '', 'x'.repeat(120)])(
    '%j is sent in another form to providers that refuse it',
    (toolCallId) => {
      for (const provider of ['anthropic.messages', 'amazon-bedrock', 'openai.responses', 'azure.responses']) {
        const [sentCall] = sent(call({ toolCallId }), provider) as [{ readonly toolCallId: string }];
        expect(sentCall.toolCallId).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
        expect(sent(result({ toolCallId }), provider)).toMatchObject([{ toolCallId: sentCall.toolCallId }]);
      }
    },
  );

  it('is sent as it is to others, which may expect their own form', () => {
    expect(sent(call({ toolCallId: 'functions.look:0' }), 'moonshot.chat')).toMatchObject([
      { toolCallId: 'functions.look:0' },
    ]);
  });

  it('stays different from other ids, and stays the same where it is accepted', () => {
    const ids = ['a.b', 'a:b', 'a_b', 'x'.repeat(50), 'x'.repeat(51)].map(
      (toolCallId) => (sent(call({ toolCallId })) as [{ readonly toolCallId: string }])[0].toolCallId,
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[2]).toBe('a_b');
  });
});

it.each<readonly [ToolPart['output']]>([
  [{ type: 'text', value: '' }],
  [{ type: 'text', value: ' \n' }],
  [{ type: 'error-text', value: '' }],
  [{ type: 'content', value: [] }],
  [{ type: 'content', value: [{ type: 'text', text: '' }] }],
])('a result is never empty: %j', (output) => {
  expect(sent(result({ output }))).toMatchObject([{ output: { type: 'text', value: '[The tool returned nothing.]' } }]);
});

it.each<readonly [ToolPart['output']]>([
  [{ type: 'json', value: null }],
  [{ type: 'json', value: [] }],
  [{ type: 'text', value: '0' }],
])('a result that says something stays: %j', (output) => {
  expect(sent(result({ output }))).toMatchObject([{ output }]);
});
