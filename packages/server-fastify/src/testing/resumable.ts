import { Agent, createTool } from '@halyard/core';
import { scriptedModel, type ScriptedReply } from '@halyard/core/testing';
import { Type } from '@sinclair/typebox';
import { DefaultChatTransport, readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import type { Served } from './serve.ts';
import { gateOf } from './workflows.ts';

/** Waits at the gate of the conversation and ignores its signal. */
const pause = createTool({
  name: 'pause',
  description: '',
  input: Type.Object({}),
  execute: (_, { conversationId = 'none', signal }) => gateOf(conversationId).pass(signal),
});

/** Waits as `pause` does, and writes data for the client before and after it. */
const stage = createTool({
  name: 'stage',
  description: '',
  input: Type.Object({}),
  execute: async (_, { conversationId = 'none', signal, writer }) => {
    await writer.write({ type: 'data-stage', id: 's', data: 'begun' });
    await gateOf(conversationId).pass(signal);
    await writer.write({ type: 'data-stage', id: 's', data: 'done' });
  },
});

/** Starts a text, waits at the gate of its conversation, and continues. */
const story =
  (toolName: string): ScriptedReply =>
  ({ prompt }) =>
    prompt.at(-1)?.role === 'tool'
      ? { reasoning: 'So.', text: ['And they lived ', 'happily ', 'ever after.'] }
      : { text: ['Once ', 'upon a time.'], toolCalls: [{ toolName, toolCallId: 'c1', input: {} }] };

const model = scriptedModel(story('pause'));

const permitted = createTool({
  name: 'permitted',
  description: '',
  input: Type.Object({}),
  needsApproval: true,
  execute: (_, { conversationId = 'none', signal }) => gateOf(conversationId).pass(signal),
});
const careful: ScriptedReply = ({ prompt }) =>
  prompt.at(-1)?.role === 'tool'
    ? 'Done.'
    : { reasoning: 'Hm.', text: 'May I?', toolCalls: [{ toolName: 'permitted', toolCallId: 'c1', input: {} }] };
const tools = [pause];

/** Agents by their policy for a second question during a reply. */
export const storytellers: readonly Agent[] = [
  new Agent({ id: 'teller', model, tools, onBusy: 'reject' }),
  new Agent({ id: 'resumable', model, tools, resumable: true, acceptSystemMessages: false }),
  new Agent({ id: 'careful', model: scriptedModel(careful), tools: [permitted] }),
  new Agent({ id: 'queueing', model, tools, resumable: true, onBusy: 'queue' }),
  new Agent({ id: 'staged', model: scriptedModel(story('stage')), tools: [stage], resumable: true }),
  new Agent({ id: 'smooth', model, tools, resumable: true, smoothStream: { delayInMs: 1 } }),
  new Agent({ id: 'interrupting', model, tools, resumable: true, onBusy: 'interrupt' }),
];

interface TransportOptions {
  readonly headers?: Record<string, string> | undefined;
  /** Default: `{ resumable: true }`. */
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

const transportTo = (
  { origin }: Pick<Served, 'origin'>,
  agent: string,
  { headers = {}, options = { resumable: true } }: TransportOptions = {},
) =>
  new DefaultChatTransport<UIMessage>({
    api: `${origin}/agents/${agent}/chat`,
    headers,
    body: { options: { ...options, userId: 'ada' } },
  });

export interface Asking extends TransportOptions {
  readonly agent?: string;
  readonly abortSignal?: AbortSignal;
  readonly text?: string;
  /** Replaces the text. */
  readonly messages?: UIMessage[];
}

/** Sends the request of `useChat`. */
export function askIn(
  conversationId: string,
  server: Pick<Served, 'origin'>,
  {
    abortSignal,
    agent = 'teller',
    headers,
    options,
    text = 'Tell me a story',
    messages = [{ id: `u-${text.replaceAll(' ', '-')}`, role: 'user', parts: [{ type: 'text', text }] }],
  }: Asking = {},
): Promise<ReadableStream<UIMessageChunk>> {
  return transportTo(server, agent, { headers, options }).sendMessages({
    trigger: 'submit-message',
    chatId: conversationId,
    messageId: undefined,
    messages,
    abortSignal,
  });
}

/** Reconnects as `useChat` does; null if there is no reply. */
export function reconnectTo(
  conversationId: string,
  server: Pick<Served, 'origin'>,
  { agent = 'teller', headers }: Asking = {},
): Promise<ReadableStream<UIMessageChunk> | null> {
  return transportTo(server, agent, { headers }).reconnectToStream({ chatId: conversationId });
}

export async function stop(
  conversationId: string,
  { origin }: Pick<Served, 'origin'>,
  { agent = 'teller', headers = {} }: Asking = {},
): Promise<unknown> {
  const response = await fetch(`${origin}/agents/${agent}/chat/${conversationId}/stop`, { method: 'POST', headers });
  return { status: response.status, ...((await response.json()) as object) };
}

/** The message that `useChat` builds from a stream, and the types of its chunks. */
export async function read(
  stream: ReadableStream<UIMessageChunk> | null,
  continued?: UIMessage,
): Promise<{ readonly message: UIMessage | undefined; readonly chunks: UIMessageChunk[] }> {
  if (stream === null) return { message: undefined, chunks: [] };
  const [shown, counted] = stream.tee();
  const chunks: UIMessageChunk[] = [];
  const counting = counted.pipeTo(new WritableStream({ write: (chunk) => void chunks.push(chunk) }));
  let message: UIMessage | undefined;
  for await (const state of readUIMessageStream({
    stream: shown,
    onError: () => {},
    ...(continued && { message: structuredClone(continued) }),
  }))
    message = state;
  await counting;
  return { message, chunks };
}

/** Reads a number of chunks and disconnects. */
export async function readSome(stream: ReadableStream<UIMessageChunk>, count: number): Promise<UIMessageChunk[]> {
  const reader = stream.getReader();
  const chunks: UIMessageChunk[] = [];
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    if (chunks.length === count) break;
  }
  await reader.cancel();
  return chunks;
}

export const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
