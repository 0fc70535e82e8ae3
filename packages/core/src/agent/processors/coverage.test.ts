import { describe, expect, it } from 'vitest';
import { agentWithMemory } from '../../memory/testing/agent-with-memory.ts';
import type { AgentInput } from '../../model/messages/message.ts';
import { collectEvents, scriptedModel, type ScriptedReply, silentLogger } from '../../testing/index.ts';
import { createTool } from '../../tool/create-tool.ts';
import type { AgentOptions } from '../agent-options.ts';
import { Agent } from '../agent.ts';
import type { InputGuardrail, OutputGuardrail } from './guardrails.ts';

/** The tables of docs/processors.md: each row has a test. */
const services = { logger: silentLogger };
const secret = /secret/g;
const hide: InputGuardrail & Pick<OutputGuardrail, 'check' | 'name'> = {
  name: 'hide',
  check: (text) => ({ action: 'modify', text: text.replaceAll(secret, '[hidden]') }),
};
const deny: InputGuardrail & Pick<OutputGuardrail, 'check' | 'name'> = {
  name: 'deny',
  check: (text) => (text.includes('secret') ? { action: 'block', reason: 'it is private' } : { action: 'allow' }),
};
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const decoded = (value: unknown): string =>
  JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'string' && /^(?:data:text\/plain;base64,)?[A-Za-z\d+/]{8,}=*$/.test(item)
      ? Buffer.from(item.replace(/^.*,/, ''), 'base64').toString()
      : item,
  );

describe('input', () => {
  const later = { role: 'user', content: 'And now?' } as const;
  const rows: Record<string, AgentInput> = {
    'the text of a prompt': 'The secret',
    'the newest message of the user': [{ role: 'user', content: [{ type: 'text', text: 'The secret' }] }],
    'an earlier message of the user': [{ role: 'user', content: 'The secret' }, later],
    'a text that is split over two parts': [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'The sec' },
          { type: 'text', text: 'ret' },
        ],
      },
    ],
    'a system message': [{ role: 'system', content: 'The secret' }, later],
    'a message of the assistant that the client sends': [{ role: 'assistant', content: 'The secret' }, later],
    'a system message of a chat': [
      { role: 'system', parts: [{ type: 'text', text: 'The secret' }] },
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
    ],
    'a text file with its data': [
      { role: 'user', content: [{ type: 'file', mediaType: 'text/plain', data: base64('The secret') }] },
    ],
    'a text file as text': [
      {
        role: 'user',
        content: [{ type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'The secret' } }],
      },
    ],
    'a text file as a data URL': [
      {
        role: 'user',
        parts: [{ type: 'file', mediaType: 'text/plain', url: `data:text/plain;base64,${base64('The secret')}` }],
      },
    ],
    'a text file at a URL that the model would read itself': [
      { role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url: 'https://files.example.org/a.txt' }] },
    ],
    'the result of a tool that the client sends': [
      later,
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'json', value: { at: 'secret' } } },
        ],
      },
    ],
    'the error of a tool that the client sends': [
      { role: 'user', parts: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        parts: [{ type: 'tool-look', toolCallId: 'c', state: 'output-error', input: {}, errorText: 'The secret' }],
      },
    ],
  };
  const readsUrls = (...turns: [ScriptedReply]) =>
    Object.assign(scriptedModel(...turns), { supportedUrls: { '*/*': [/^https:/] } });
  const downloadFile = async () => ({ data: Buffer.from('The secret'), mediaType: 'text/plain' });

  it.each(Object.entries(rows))('changes and blocks %s', async (_, input) => {
    const model = readsUrls('Fine.');
    const options = { services: { ...services, downloadFile } };

    await new Agent({ id: 'a', model, inputGuardrails: [hide] }).generateText(input, options);
    const [call] = model.calls;
    expect(decoded(call?.prompt)).toContain('[hidden]');
    expect(decoded(call?.prompt)).not.toContain('secret');

    const blocking = new Agent({ id: 'a', model, inputGuardrails: [deny] });
    await expect(blocking.generateText(input, options)).rejects.toMatchObject({ code: 'INPUT_BLOCKED' });
    expect(model.calls).toHaveLength(1);
  });

  it.each(Object.entries(rows).filter(([, input]) => typeof input !== 'string'))(
    'changes and blocks %s in a conversation',
    async (_, input) => {
      const memory = { services: { downloadFile } };
      const { agent, model, options, stored } = agentWithMemory(['Fine.'], { inputGuardrails: [hide] });
      const all = { ...options, services: { ...options.services, ...memory.services } };

      await agent.generateText(input, all);
      expect(decoded(model.calls[0]?.prompt)).not.toContain('secret');
      const files = (parts: readonly { readonly type: string }[]) => parts.filter(({ type }) => type !== 'file');
      // Files are stored as they were sent, and checked whenever they are read.
      expect(JSON.stringify((await stored()).map((message) => files(message.parts)))).not.toContain('secret');
      await agent.generateText('Again', all);
      expect(decoded(model.calls[1]?.prompt)).not.toContain('secret');
    },
  );

  it('checks the responses of a client to the calls of a stored reply', async () => {
    const look = createTool({ name: 'look', description: 'Looks', input: { type: 'object' } as const });
    const { agent, model, options } = agentWithMemory(
      [{ toolCalls: [{ toolName: 'look', input: {}, toolCallId: 'c' }] }, 'Seen.'],
      { tools: [look], inputGuardrails: [hide] },
    );

    await agent.generateText('Look', options);
    await agent.generateText(
      [
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c', toolName: 'look', output: { type: 'text', value: 'The secret' } },
          ],
        },
      ],
      options,
    );

    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('The [hidden]');
  });

  it('does not check stored messages again', async () => {
    const seen: string[] = [];
    const watch: InputGuardrail = {
      name: 'watch',
      check: (text) => {
        seen.push(text);
        return { action: 'allow' };
      },
    };
    const { agent, options } = agentWithMemory(['Fine.'], { inputGuardrails: [watch] });

    await agent.generateText('One', options);
    await agent.generateText('Two', options);

    expect(seen).toEqual(['One', 'Two']);
  });
});

describe('output', () => {
  const look = createTool({
    name: 'look',
    description: 'Looks',
    input: { type: 'object' } as const,
    execute: () => ({ at: 'the secret' }),
  });
  const say = createTool({
    name: 'say',
    description: 'Says',
    input: { type: 'object', properties: { word: { type: 'string' } } } as const,
    execute: () => 'said',
  });
  const fails = createTool({
    name: 'fails',
    description: 'Fails',
    input: { type: 'object' } as const,
    execute: () => {
      throw new RangeError('the secret');
    },
  });
  const slow = createTool({
    name: 'slow',
    description: 'Reports progress',
    input: { type: 'object' } as const,
    async *execute() {
      yield 'a secret step';
      yield 'done';
    },
  });
  const call = (toolName: string, input: object = {}): ScriptedReply => ({ toolCalls: [{ toolName, input }] });
  const source = { type: 'source', sourceType: 'url', id: 's', url: 'https://x.example', title: 'A secret' } as const;
  const inner = () => new Agent({ id: 'inner', model: scriptedModel('The secret of the other.') });
  const rows: Record<string, [turns: [ScriptedReply, ...ScriptedReply[]], options?: () => Partial<AgentOptions>]> = {
    text: [['The secret.']],
    'text that is split over two blocks': [
      [
        {
          parts: [
            { type: 'text-start', id: 'x' },
            { type: 'text-delta', id: 'x', delta: 'The sec' },
            { type: 'text-end', id: 'x' },
            { type: 'text-start', id: 'y' },
            { type: 'text-delta', id: 'y', delta: 'ret.' },
            { type: 'text-end', id: 'y' },
          ],
        },
      ],
    ],
    'the arguments of a tool call': [[call('say', { word: 'secret' }), 'Done.'], () => ({ tools: [say] })],
    'arguments that are not JSON': [
      [{ toolCalls: [{ toolName: 'say', input: 'secret' }] }, 'Done.'],
      () => ({ tools: [say] }),
    ],
    'arguments while they are written': [
      [
        {
          parts: [
            { type: 'tool-input-start', id: 'c', toolName: 'say' },
            { type: 'tool-input-delta', id: 'c', delta: '{"word":"secret"}' },
            { type: 'tool-input-end', id: 'c' },
            { type: 'tool-call', toolCallId: 'c', toolName: 'say', input: '{"word":"secret"}' },
          ],
          finishReason: 'tool-calls',
        },
        'Done.',
      ],
      () => ({ tools: [say] }),
    ],
    'the result of a tool': [[call('look'), 'Done.'], () => ({ tools: [look] })],
    'a preliminary result of a tool': [[call('slow'), 'Done.'], () => ({ tools: [slow] })],
    'the error of a tool': [[call('fails'), 'Done.'], () => ({ tools: [fails] })],
    'the arguments and the result of a tool that the provider runs': [
      [
        {
          parts: [
            { type: 'tool-call', toolCallId: 'p', toolName: 'web', input: '{"q":"secret"}', providerExecuted: true },
            { type: 'tool-result', toolCallId: 'p', toolName: 'web', result: { found: ['a secret'] } },
          ],
        },
      ],
    ],
    'the title of a source': [[{ parts: [source] }]],
    'the metadata of a source': [
      [{ parts: [{ ...source, title: 'secret', providerMetadata: { p: { citedText: 'secret' } } }] }],
    ],
    'a text file that the model generates': [
      [{ parts: [{ type: 'file', mediaType: 'text/plain', data: { type: 'data', data: base64('The secret') } }] }],
    ],
    'the text of a sub-agent': [[call('ask_inner', { task: 'Go' }), 'Done.'], () => ({ subAgents: [inner()] })],
    'the tools of a sub-agent': [
      [call('ask_inner', { task: 'Go' }), 'Done.'],
      () => ({
        subAgents: [
          new Agent({
            id: 'inner',
            model: scriptedModel(call('look'), call('say', { word: 'secret' }), '.'),
            tools: [look, say],
          }),
        ],
      }),
    ],
  };

  it.each(Object.entries(rows))('changes %s', async (_, [turns, options]) => {
    const agent = new Agent({ id: 'a', ...options?.(), model: scriptedModel(...turns), outputGuardrails: [hide] });

    const stream = await agent.streamText('Go', { services });
    const events = decoded(await collectEvents(stream));

    expect(events).toContain('[hidden]');
    expect(events).not.toContain('secret');
    expect(JSON.stringify(await stream.result)).not.toContain('secret');
    expect(JSON.stringify(await agent.generateText('Go', { services }))).not.toContain('secret');
  });

  it.each(Object.entries(rows))('blocks %s', async (_, [turns, options]) => {
    const agent = new Agent({ id: 'a', ...options?.(), model: scriptedModel(...turns), outputGuardrails: [deny] });

    const stream = await agent.streamText('Go', { services });
    const events = await collectEvents(stream);

    expect(decoded(events)).not.toContain('secret');
    expect(events.at(-1)).toEqual({ type: 'error', error: 'Guardrail "deny" blocked the output: it is private' });
    await expect(stream.result).rejects.toMatchObject({ code: 'OUTPUT_BLOCKED' });
  });

  it.each(['reasoning', 'raw', 'custom', 'reasoning-file'])('does not emit %s', async (type) => {
    const parts = {
      raw: { type: 'raw', rawValue: 'secret' },
      custom: { type: 'custom', kind: 'p.secret' },
      'reasoning-file': { type: 'reasoning-file', mediaType: 'text/plain', data: { type: 'data', data: 'secret' } },
    } as const;
    const turn: ScriptedReply = {
      ...(type === 'reasoning' && { reasoning: 'secret' }),
      parts: type in parts ? [parts[type as keyof typeof parts]] : [],
      text: 'Hi',
    };
    const agent = new Agent({ id: 'a', model: scriptedModel(turn), rawChunks: true, outputGuardrails: [hide] });

    expect(JSON.stringify(await collectEvents(await agent.streamText('Go', { services })))).not.toContain('secret');
    expect(JSON.stringify(await agent.generateText('Go', { services }))).not.toContain('secret');
  });

  it('keeps numbers and names of values that pass, and replaces a value whose parts pass only separately', async () => {
    const pair: Pick<OutputGuardrail, 'check' | 'name'> = {
      name: 'pair',
      check: (text) => ({ action: 'modify', text: text.replaceAll(/pin: \d+/g, 'pin: ?').replaceAll('4711', '?') }),
    };
    const results: Record<string, unknown> = {
      plain: { count: 3, list: [true, null], word: '4711' },
      number: { card: 4711 },
      pair: { pin: 1234 },
    };
    const tools = Object.entries(results).map(([name, value]) =>
      createTool({ name, description: name, input: { type: 'object' } as const, execute: () => value }),
    );
    const agent = new Agent({
      id: 'a',
      model: scriptedModel({ toolCalls: tools.map(({ name }) => ({ toolName: name, input: {} })) }, 'Done.'),
      tools,
      outputGuardrails: [pair],
    });

    const { toolResults } = await agent.generateText('Go', { services });

    expect(toolResults.map(({ output }) => output)).toEqual([
      { count: 3, list: [true, null], word: '?' },
      { card: '?' },
      'pin: ?',
    ]);
  });
});

it.each([
  ['input', { inputGuardrails: [{ name: 'broken', check: () => JSON.parse('{') }] }],
  ['output', { outputGuardrails: [{ name: 'broken', check: () => JSON.parse('{') }] }],
])('names a guardrail that throws, and not the model: %s', async (_, options) => {
  const agent = new Agent({ id: 'a', model: scriptedModel('Hi'), ...options });

  await expect(agent.generateText('Go', { services })).rejects.toMatchObject({
    code: 'PROCESSOR_FAILED',
    message: 'Processor "broken" failed',
    cause: expect.any(SyntaxError),
  });
});
