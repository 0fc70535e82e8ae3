import { readUIMessageStream, type UIMessage } from 'ai';
import { expect, it } from 'vitest';
import { replayMessage } from './replay-message.ts';

const call = { toolCallId: 'c1', input: { euros: 5 } };
const approval = { id: 'a1', signature: 's' };

/** The message that a client builds from the chunks. */
async function rebuilt(message: UIMessage): Promise<UIMessage | undefined> {
  let last: UIMessage | undefined;
  const stream = ReadableStream.from(replayMessage(message));
  for await (const state of readUIMessageStream<UIMessage>({ stream, terminateOnError: true })) last = state;
  // Fields that are undefined are not on the wire.
  return last && (JSON.parse(JSON.stringify(last)) as UIMessage);
}

it.each<readonly [string, UIMessage['parts']]>([
  [
    'text, reasoning, files and sources',
    [
      { type: 'step-start' },
      { type: 'reasoning', id: 'r0', text: 'Hm.', state: 'done', providerMetadata: { p: { signature: 'x' } } },
      { type: 'text', text: 'Look.', state: 'done' },
      { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AA==' },
      { type: 'source-url', sourceId: 's1', url: 'https://example.com', title: 'Example' },
      { type: 'source-document', sourceId: 's2', mediaType: 'text/plain', title: 'T', filename: 't.txt' },
      { type: 'step-start' },
      { type: 'text', text: 'Done.', state: 'done' },
    ],
  ],
  ['a call on its way', [{ type: 'tool-pay', ...call, state: 'input-available' }]],
  ['a call of a tool made at run time', [{ type: 'dynamic-tool', toolName: 'pay', ...call, state: 'input-available' }]],
  ['a call that asks', [{ type: 'tool-pay', ...call, state: 'approval-requested', approval }]],
  [
    'a call that was answered',
    [{ type: 'tool-pay', ...call, state: 'approval-responded', approval: { ...approval, approved: true } }],
  ],
  [
    'a call that was denied',
    [
      {
        type: 'tool-pay',
        ...call,
        state: 'output-denied',
        approval: { ...approval, approved: false, reason: 'too much' },
      },
    ],
  ],
  ['a result', [{ type: 'tool-pay', ...call, state: 'output-available', output: 'paid' }]],
  ['a failure', [{ type: 'tool-pay', ...call, state: 'output-error', errorText: 'no' }]],
])('a message is the same when its chunks are read: %s', async (_, parts) => {
  const message: UIMessage = { id: 'm1', role: 'assistant', parts };
  expect(await rebuilt(message)).toEqual(message);
});
