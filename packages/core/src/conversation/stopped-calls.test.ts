import { type Message, type MessagePart, TimeLimitError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { readUIMessageStream } from 'ai';
import { describe, expect, it } from 'vitest';
import type { InternalRunOptions } from '../agent/agent-options.ts';
import { agentChunks } from '../chat/ui-chunks.ts';
import { agentWithMemory, type AgentWithMemory } from '../memory/testing/agent-with-memory.ts';
import { textMessage } from '../memory/testing/text-message.ts';
import type { AgentInput, UIMessage, UIMessageChunk } from '../model/messages/message.ts';
import { incompletePart } from '../model/prompt/cut-step.ts';
import { missingResultText } from '../model/prompt/missing-result.ts';
import type { ModelPart } from '../model/providers/model-port.ts';
import type { ScriptedReply } from '../testing/index.ts';
import { createTool } from '../tool/create-tool.ts';

const input = Type.Object({});
const failure = { state: 'output-error', errorText: missingResultText };
const look = { toolName: 'look', input: { place: 'Rome' }, toolCallId: 'look' };
const locate = createTool({ name: 'locate', description: '', input });
const pay = createTool({ name: 'pay', description: '', input, needsApproval: true, execute: () => 'paid' });

/** A tool that never ends. `begun` resolves when it runs. */
function endlessTool(options: { readonly needsApproval?: boolean } = {}) {
  const begun = Promise.withResolvers<void>();
  const tool = createTool({
    name: 'look',
    description: '',
    input: Type.Object({ place: Type.String() }),
    ...options,
    execute: () => {
      begun.resolve();
      return new Promise<never>(() => {});
    },
  });
  return { tool, begun: begun.promise };
}

/** The model sends these, and its connection breaks. */
function cutAfter(...parts: readonly ModelPart[]): ScriptedReply {
  return { parts, breaksOff: true };
}

async function callsOf({ stored }: AgentWithMemory): Promise<readonly MessagePart[]> {
  return (await stored()).flatMap((message) => message.parts.filter((part) => 'toolCallId' in part));
}

/** How runs end before their tools do. */
const ends: Readonly<Record<string, (given: AgentWithMemory, begun: Promise<void>) => Promise<unknown>>> = {
  'the user stops it': (given, begun) => abortedRun(given, begun, undefined),
  'it takes too long': (given, begun) => abortedRun(given, begun, new TimeLimitError('The run', 1)),
  'its client leaves': async ({ agent, options }, begun) => {
    const stream = await agent.streamText('Look', options);
    for await (const { type } of stream) if (type === 'tool-call') break;
    await begun;
    await stream.result;
  },
};

async function abortedRun({ agent, options }: AgentWithMemory, begun: Promise<void>, reason: unknown): Promise<void> {
  const stop = new AbortController();
  void begun.then(() => stop.abort(reason));
  await agent.generateText('Look', { ...options, signal: stop.signal });
}

describe('a call whose run ended before it', () => {
  it.each(Object.keys(ends))('is stored with what the next prompt says of it, when %s', async (name) => {
    const { tool, begun } = endlessTool();
    const given = agentWithMemory([{ text: 'Hm.', toolCalls: [look] }, 'Fine.'], { tools: [tool] });

    await expect(ends[name]?.(given, begun)).rejects.toThrow();
    await given.agent.generateText('And?', given.options);

    expect(await callsOf(given)).toEqual([
      { type: 'tool-look', toolCallId: 'look', input: { place: 'Rome' }, ...failure },
    ]);
    expect(resultsIn(given)).toEqual([{ type: 'error-text', value: missingResultText }]);
  });

  it('is stored like that although others of its step have results', async () => {
    const { tool } = endlessTool();
    const quick = createTool({ name: 'quick', description: '', input, execute: () => 'done' });
    const given = agentWithMemory([{ toolCalls: [{ toolName: 'quick', input: {}, toolCallId: 'q' }, look] }], {
      tools: [tool, quick],
    });
    await stopped(given, ({ type }) => type === 'tool-output-available');

    expect(await callsOf(given)).toMatchObject([{ state: 'output-available', output: 'done' }, failure]);
  });

  it('leaves the calls that wait for the client or for a person as they are', async () => {
    const { begun, tool } = endlessTool();
    const waiting = ['locate', 'pay'].map((toolName) => ({ toolName, input: {}, toolCallId: toolName }));
    const given = agentWithMemory([{ toolCalls: [...waiting, look] }], { tools: [tool, locate, pay] });

    await expect(abortedRun(given, begun, undefined)).rejects.toThrow();

    expect(await callsOf(given)).toMatchObject([
      { state: 'input-available' },
      { state: 'approval-requested' },
      failure,
    ]);
  });

  it('is stored with the input as far as the model had written it', async () => {
    const given = agentWithMemory(
      [
        cutAfter(
          { type: 'tool-input-start', id: 'look', toolName: 'look' },
          { type: 'tool-input-delta', id: 'look', delta: '{"place":' },
          { type: 'tool-input-delta', id: 'look', delta: '"Ro' },
        ),
        'Fine.',
      ],
      { tools: [endlessTool().tool, locate] },
    );
    const chunks = await stopped(given);
    await given.agent.generateText('And?', given.options);

    expect(await callsOf(given)).toEqual([
      { type: 'tool-look', toolCallId: 'look', input: '{"place":"Ro', ...failure },
    ]);
    expect(callsIn(await messageOf(chunks))).toMatchObject([failure]);
    expect(chunks.map(({ type }) => type)).not.toContain('tool-input-available');
    expect(given.model.calls.at(-1)?.prompt.at(-3)?.content).toMatchObject([
      { type: 'tool-call', toolCallId: 'look', input: {} },
    ]);
    expect(resultsIn(given)).toEqual([{ type: 'error-text', value: missingResultText }]);
  });

  it('does not run at a client that has received a part of its input', async () => {
    const given = agentWithMemory([cutAfter({ type: 'tool-input-start', id: 'here', toolName: 'locate' }), 'Fine.'], {
      tools: [locate],
    });
    const chunks = await stopped(given);
    expect(callsIn(await messageOf(chunks))).toMatchObject([failure]);
    expect(await callsOf(given)).toMatchObject([failure]);
  });

  it('is not sent to the provider that began to run it', async () => {
    const search = { toolCallId: 's', toolName: 'search', input: '{}', providerExecuted: true } as const;
    const given = agentWithMemory([cutAfter({ type: 'tool-call', ...search }), 'Fine.']);
    const shown = await messageOf(await stopped(given));
    await given.agent.generateText('So?', given.options);

    expect(await callsOf(given)).toMatchObject([failure]);
    expect(callsIn(shown)).toMatchObject([failure]);
    const withoutMemory: AgentInput = [shown, { id: 'u', role: 'user', parts: [{ type: 'text', text: 'So?' }] }];
    await given.agent.generateText(withoutMemory);
    for (const { prompt } of given.model.calls.slice(-2)) expect(JSON.stringify(prompt)).not.toContain('search');
  });

  it('has its error where a person had approved it, and takes no second approval', async () => {
    const { begun, tool } = endlessTool({ needsApproval: true });
    const given = agentWithMemory([{ toolCalls: [look] }, 'Fine.'], { tools: [tool] });
    await given.agent.generateText('Look', given.options);
    const approved = approvalOf((await given.stored()).at(-1));
    const stop = new AbortController();
    void begun.then(() => stop.abort());

    await expect(given.agent.generateText(approved, { ...given.options, signal: stop.signal })).rejects.toThrow();

    expect(await callsOf(given)).toMatchObject([{ ...failure, approval: { approved: true } }]);
    await expect(given.agent.generateText(approved, given.options)).rejects.toMatchObject({
      code: 'APPROVAL_NOT_ACCEPTED',
    });
  });

  it('looks in the stream as it is stored', async () => {
    const given = agentWithMemory([{ text: 'Hm.', toolCalls: [look] }], { tools: [endlessTool().tool] });
    const chunks = await stopped(given, ({ type }) => type === 'tool-input-available');

    expect(chunks.at(-1)).toEqual({ type: 'abort' });
    const [stored] = (await given.stored()).slice(-1);
    expect([...(await messageOf(chunks)).parts, incompletePart]).toEqual(stored?.parts);
  });
});

describe('a call whose process died', () => {
  const base = { type: 'tool-look', toolCallId: 'look', input: { place: 'Rome' } } as const;
  const question = textMessage('u', 'user', 'Look');
  const answer = (...given: readonly MessagePart[]): Message => ({ id: 'a', role: 'assistant', parts: [...given] });
  const waiting: readonly MessagePart[] = [
    { type: 'tool-locate', toolCallId: 'l', state: 'input-available', input: {} },
    { type: 'tool-pay', toolCallId: 'p', state: 'approval-requested', input: {}, approval: { id: 'x' } },
  ];
  const given = () => agentWithMemory(['Fine.'], { tools: [endlessTool().tool, locate, pay] });

  it.each([
    ['that ran', { ...base, state: 'input-available' }, failure],
    ['that was approved', { ...base, state: 'approval-responded', approval: { id: 'y', approved: true } }, failure],
    [
      'that was denied',
      { ...base, state: 'approval-responded', approval: { id: 'y', approved: false } },
      { state: 'output-denied' },
    ],
    ['of the provider', { ...base, state: 'input-available', providerExecuted: true }, failure],
  ] satisfies [string, MessagePart, object][])('%s has its error with the next turn', async (_name, part, expected) => {
    const opened = given();
    await opened.save(question, answer(part, ...waiting));

    await opened.agent.generateText('And?', opened.options);

    expect(await callsOf(opened)).toMatchObject([expected, ...waiting]);
    expect((await opened.texts()).at(-1)).toBe('assistant: Fine.');
  });

  it.each(['useChat', 'a raw client'])('has it when an answer of %s continues its message', async (form) => {
    const opened = given();
    const [here] = waiting;
    if (here === undefined) throw new Error('no call waits');
    await opened.save(question, answer({ ...base, state: 'input-available' }, here));
    const result: AgentInput =
      form === 'useChat'
        ? [{ id: 'a', role: 'assistant', parts: [{ ...here, state: 'output-available', output: 'here' } as never] }]
        : [
            {
              role: 'tool',
              content: [
                { type: 'tool-result', toolCallId: 'l', toolName: 'locate', output: { type: 'text', value: 'here' } },
              ],
            },
          ];

    await opened.agent.generateText(result, opened.options);

    expect(await callsOf(opened)).toMatchObject([failure, { state: 'output-available' }]);
  });

  it('has it in the stored answer that a question gets that is sent again', async () => {
    const opened = given();
    await opened.save(question, answer({ type: 'text', text: 'Hm.' }, { ...base, state: 'input-available' }));

    const again: AgentInput = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Look' }] }];
    const { finishReason } = await opened.agent.generateText(again, opened.options);

    expect([finishReason, opened.model.calls]).toEqual(['stop', []]);
  });

  it('is not assumed of a call that an execution makes', async () => {
    const opened = given();
    const journal = { record: <Value>(_key: string, work: () => Promise<Value>) => work() };
    const { begun, tool } = endlessTool();
    const quick = createTool({ name: 'quick', description: '', input, execute: () => 'done' });
    const calls = [look, { toolName: 'quick', input: {}, toolCallId: 'q' }];
    const stored = agentWithMemory([{ toolCalls: calls }], { tools: [tool, quick], memory: opened.memory });
    const leave = new AbortController();
    void stored.agent
      .generateText('Look', { ...opened.options, journal, signal: leave.signal } as InternalRunOptions)
      .catch(() => {});
    await begun;
    await expect.poll(() => callsOf(opened)).toMatchObject([{ state: 'input-available' }, { output: 'done' }]);

    await opened.agent.generateText('And?', opened.options);

    expect(await callsOf(opened)).toMatchObject([{ state: 'input-available' }, { output: 'done' }]);
    leave.abort();
  });
});

/** The chunks of a run that is stopped when it has sent such a one, unless it fails before. */
async function stopped(
  { agent, options }: AgentWithMemory,
  isLast: (chunk: UIMessageChunk) => boolean = () => false,
): Promise<readonly UIMessageChunk[]> {
  const stop = new AbortController();
  const question: AgentInput = [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'Look' }] }];
  const chunks: UIMessageChunk[] = [];
  const stream = await agent.streamText(question, { ...options, signal: stop.signal });
  for await (const batch of agentChunks(stream, question)) {
    chunks.push(...batch);
    if (batch.some(isLast)) stop.abort();
  }
  return chunks;
}

/** As `useChat` builds it. */
async function messageOf(chunks: readonly UIMessageChunk[]): Promise<UIMessage> {
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream: ReadableStream.from(chunks), onError: () => {} }))
    message = state;
  if (message === undefined) throw new Error('the stream has no message');
  return JSON.parse(JSON.stringify(message)) as UIMessage;
}

function callsIn({ parts: all }: Pick<UIMessage, 'parts'>): readonly object[] {
  return all.filter((part) => 'toolCallId' in part);
}

function resultsIn({ model }: AgentWithMemory): readonly unknown[] {
  return (model.calls.at(-1)?.prompt ?? []).flatMap(({ content, role }) =>
    role === 'tool' ? content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : [])) : [],
  );
}

function approvalOf(message: Message | undefined): AgentInput {
  const answered = (message?.parts ?? []).map((part) =>
    'toolCallId' in part && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded' as const, approval: { ...part.approval, approved: true } }
      : part,
  );
  return [{ id: message?.id ?? '', role: 'assistant', parts: answered }] as AgentInput;
}
