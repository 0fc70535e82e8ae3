import type { UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import type { AgentEvent } from '../agent/agent-event.ts';
import { AgentStream } from '../agent/agent-stream.ts';
import type { AgentInput } from '../model/messages/message.ts';
import { extendedMessage } from './extended-message.ts';
import { agentChunks } from './ui-chunks.ts';

const call = { toolCallId: 'c1', toolName: 'pay', input: { euros: 5 } };
const result: AgentEvent = { type: 'tool-result', ...call, output: 'paid' };
const called: UIMessageChunk = { type: 'tool-input-available', ...call };
const output: UIMessageChunk = { type: 'tool-output-available', toolCallId: 'c1', output: 'paid' };
const toolPart = { type: 'tool-pay', ...call, state: 'input-available' } as const;

async function* from(batches: readonly (readonly AgentEvent[])[]): AsyncGenerator<readonly AgentEvent[], void> {
  yield* batches;
}

async function chunksOf(input: AgentInput, ...batches: readonly (readonly AgentEvent[])[]) {
  const stream = new AgentStream(from(batches), Promise.reject(new Error('not read')), 'm1', input);
  stream.result.catch(() => {});
  const chunks: (readonly UIMessageChunk[])[] = [];
  for await (const batch of agentChunks(stream, input)) chunks.push(batch);
  return chunks;
}

it('sends each batch of events as one batch of chunks, with the id of the message', async () => {
  expect(
    await chunksOf('Hi', [{ type: 'start' }, { type: 'start-step' }], [{ type: 'text-start', id: 't' }]),
  ).toStrictEqual([[{ type: 'start', messageId: 'm1' }, { type: 'start-step' }], [{ type: 'text-start', id: 't' }]]);
});

it('sends the call before a result whose call the client does not know, once', async () => {
  expect(await chunksOf('Hi', [result], [result])).toStrictEqual([[called, output], [output]]);
});

it('sends the call of an unknown result with its marks', async () => {
  const marks = { dynamic: true, providerExecuted: true };
  expect(await chunksOf('Hi', [{ type: 'tool-error', ...call, error: 'no', ...marks }])).toStrictEqual([
    [
      { ...called, ...marks },
      { type: 'tool-output-error', toolCallId: 'c1', errorText: 'no', ...marks },
    ],
  ]);
});

it('sends no second call where the run or the message of the client has it', async () => {
  expect(await chunksOf('Hi', [{ type: 'tool-call', ...call }, result])).toStrictEqual([[called, output]]);
  const input = [{ id: 'm1', role: 'assistant' as const, parts: [toolPart] }];
  expect(await chunksOf(input, [result])).toStrictEqual([[output]]);
});

it('sends no call for the result of a sub-agent', async () => {
  const [[chunk, ...more] = []] = await chunksOf('Hi', [{ ...result, agentId: 'b' }]);
  expect(chunk?.type).toBe('data-agent-event');
  expect(more).toEqual([]);
});

it.each<readonly [string, AgentInput, boolean]>([
  ['a model message', [{ role: 'assistant', content: [{ type: 'tool-call', ...call }] }], true],
  [
    'a model message with a result',
    [
      { role: 'assistant', content: [{ type: 'tool-call', ...call }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: { type: 'text', value: 'x' } }] },
    ],
    true,
  ],
  ['a text', [{ role: 'assistant', content: 'c1' }], false],
  ['no message', [], false],
  [
    'a message before the question',
    [
      { id: 'm0', role: 'assistant', parts: [toolPart] },
      { id: 'q', role: 'user', parts: [] },
    ],
    false,
  ],
  ['a part without a call', [{ id: 'm0', role: 'assistant', parts: [{ type: 'text', text: 'c1' }] }], false],
])('knows the call from %s: %#', async (_, input, isKnown) => {
  expect(await chunksOf(input, [result])).toStrictEqual([isKnown ? [output] : [called, output]]);
});

it('continues the last message if it is one of the assistant with an id and parts', () => {
  const message = { id: 'm1', role: 'assistant' as const, parts: [toolPart] };
  const question = { id: 'q', role: 'user' as const, parts: [] };

  expect(extendedMessage([question, message])).toStrictEqual(message);
  expect(extendedMessage('Hi')).toBeUndefined();
  expect(extendedMessage([])).toBeUndefined();
  expect(extendedMessage([message, question])).toBeUndefined();
  expect(extendedMessage([{ role: 'assistant', parts: [toolPart] }])).toBeUndefined();
  expect(extendedMessage([{ role: 'assistant', content: 'Hi' }])).toBeUndefined();
});
