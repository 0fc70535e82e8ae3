import { InvalidInputError } from '@halyard/contracts';
import type { Agent, AgentInput, UIMessage } from '@halyard/core';
import { type TSchema, Type } from '@sinclair/typebox';
import { callerKey } from '../access/identity.ts';
import { ownerOf } from '../access/owner.ts';
import { type Call, defineRoute } from '../define/define-route.ts';
import { defineStream, type EventSource } from '../define/define-stream.ts';
import type { Services } from '../define/services.ts';
import { ChatParams } from '../schemas/chat-params.ts';
import { ChatRequest } from '../schemas/chat-request.ts';
import { IdParams } from '../schemas/id.ts';
import { UiMessageChunk } from '../schemas/ui-message-chunk.ts';
import { encodeUiChunk } from '../streaming/encode-ui-chunk.ts';
import { endedBy } from '../streaming/ended-by.ts';
import { frame } from '../streaming/frame.ts';
import { introduceCalls } from '../streaming/introduce-calls.ts';
import { replayMessage } from '../streaming/replay-message.ts';
import { uiChunkSource } from '../streaming/to-ui-chunks.ts';
import { continueExecutions } from './continue-executions.ts';
import { continues } from './generation.ts';
import { toRunOptions } from './run-options.ts';

type ChatCall = Call<typeof IdParams, TSchema, typeof ChatRequest>;

const common = { tier: 'user', tag: 'Agents' } as const;

/** Chunks that were kept are texts already. */
const uiMessageStream = {
  event: UiMessageChunk,
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  encode: (chunk: UiMessageChunk | string) => (typeof chunk === 'string' ? `data: ${chunk}\n\n` : encodeUiChunk(chunk)),
  encodeFailure: (errorText: string) => frame({ type: 'error', errorText } satisfies UiMessageChunk),
  terminator: 'data: [DONE]\n\n',
};

export const chatRoutes = [
  defineStream({
    ...common,
    ...uiMessageStream,
    method: 'POST',
    url: '/agents/:id/chat',
    operationId: 'chat',
    summary: 'Chat, in the UI message stream format of the AI SDK',
    description: `Takes a generation request, or what the chat transport of the AI SDK sends. The chunks are followed by \`data: [DONE]\`. ${continues} An answer that is resumable goes on without its client.`,
    params: IdParams,
    body: ChatRequest,
    bodySize: 'agent',
    failures: [404, 409],
    open: async (call, services): Promise<EventSource<UiMessageChunk | string>> => {
      const { id, options } = call.body;
      const agent = services.registry.getAgent(call.params.id);
      if (!(options?.resumable ?? agent.resumable)) return startChat(call, undefined, agent, services);

      const conversationId = options?.memory?.conversationId ?? options?.conversationId ?? id;
      if (conversationId === undefined)
        throw new InvalidInputError('body/options/conversationId is required for a chat that is resumable');
      const { userId } = toRunOptions(options, call, services);
      const answer = {
        agentId: agent.id,
        conversationId,
        userId,
        callerKey: callerKey(call.caller),
        policy: agent.liveAnswer,
      };
      const before = continuedMessage(call);
      return services.answers.open(answer, call.signal, async (signal) => ({
        source: await startChat(call, signal, agent, services),
        before: before === undefined ? [] : replayMessage(before),
      }));
    },
  }),
  defineStream({
    ...common,
    ...uiMessageStream,
    method: 'GET',
    url: '/agents/:id/chat/:conversationId/stream',
    operationId: 'resumeChat',
    summary: 'Follow the answer that is being given in a conversation, from its first chunk',
    description:
      'Of a chat that is resumable, whichever server gives the answer: what the chat transport of the AI SDK asks for to reconnect. The chunks are followed by `data: [DONE]`.',
    params: ChatParams,
    failures: [404],
    nothing: 'No answer is being given in this conversation, or none of a chat that is resumable',
    open: async ({ caller, params: { conversationId, id } }, { answers, registry }) => {
      const agent = registry.getAgent(id);
      return answers.find(ownerOf(caller), { agentId: agent.id, conversationId });
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/agents/:id/chat/:conversationId/stop',
    operationId: 'stopChat',
    summary: 'Stop the answer that is being given in a conversation',
    description:
      'Of a chat that is resumable, whichever server gives the answer. What was said is kept; who follows is told of the abort.',
    params: ChatParams,
    failures: [404],
    data: Type.Object({ stopped: Type.Boolean({ description: 'Whether there was an answer to stop' }) }),
    handler: async ({ caller, params: { conversationId, id } }, { answers, registry }) => {
      const agent = registry.getAgent(id);
      return { stopped: await answers.stop(ownerOf(caller), { agentId: agent.id, conversationId }) };
    },
  }),
];

/**
 * Asks the agent, or continues the executions that wait for what was answered.
 *
 * @param signal what ends it where its client can come back; undefined where it ends with its client.
 */
async function startChat(
  call: ChatCall,
  signal: AbortSignal | undefined,
  agent: Agent,
  services: Services,
): Promise<EventSource<UiMessageChunk>> {
  const { id, options } = call.body;
  const asked = askedBy(call);
  const messageId = continuedMessage(call)?.id;
  const { caller, traceParent } = call;
  const chat = { conversationId: id, messageId, operation: 'chat' };
  const runOptions = toRunOptions(options, { caller, traceParent, signal: signal ?? call.signal }, services, chat);
  const continued = await continueExecutions(agent, asked, runOptions, call, services);
  if (continued !== undefined) {
    const chunks = uiChunkSource(introduceCalls(continued, callsOfLast(asked)), messageId ?? services.run.ids.next());
    // A client that leaves cancels; one that can come back only says so.
    return signal === undefined ? chunks : endedBy(signal, chunks);
  }
  const stream = await agent.streamText(asked, runOptions);
  return uiChunkSource(stream, stream.messageId);
}

function askedBy({ body: { input, messages } }: ChatCall): AgentInput {
  return input ?? (messages as AgentInput);
}

/** A run that follows a message of the assistant goes on writing it: after an approval, or a tool that the client ran. */
function continuedMessage(call: ChatCall): UIMessage | undefined {
  const asked = askedBy(call);
  const last = typeof asked === 'string' ? undefined : asked.at(-1);
  if (last?.role !== 'assistant' || !('parts' in last) || last.id === undefined) return undefined;
  return { ...last, id: last.id };
}

/** Ids of the calls in the last message of the assistant: the one that the answers belong to. */
function callsOfLast(input: AgentInput): ReadonlySet<string> {
  const messages = typeof input === 'string' ? [] : [...input];
  const last = messages.findLast(({ role }) => role === 'assistant');
  const parts = last === undefined ? [] : 'parts' in last ? last.parts : last.content;
  return new Set(
    (typeof parts === 'string' ? [] : parts).flatMap((part) =>
      'toolCallId' in part && typeof part.toolCallId === 'string' ? [part.toolCallId] : [],
    ),
  );
}
