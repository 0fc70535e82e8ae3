import { InvalidInputError } from '@halyard/contracts';
import {
  type Agent,
  type AgentInput,
  executionAnswers,
  type RunOptions,
  startChat,
  type UIMessageChunk,
} from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { ownerOf } from '../../access/identity.ts';
import { defineRoute } from '../../define/define-route.ts';
import { defineStream, type EventBatches } from '../../define/define-stream.ts';
import type { Services } from '../../services/services.ts';
import { frame } from '../../streaming/frame.ts';
import { IdParams } from '../common-schemas.ts';
import { readChatRequest } from './chat-request.ts';
import { UiMessageChunk } from './event-schemas.ts';
import { continues, servicesFor } from './generation.ts';
import { toRunOptions } from './run-options.ts';
import { type ChatOptions, ChatParams, ChatRequest } from './schemas.ts';

const common = { tier: 'user', tag: 'Agents' } as const;

const uiMessageStream = {
  event: UiMessageChunk,
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  // The chunks of resumable answers are stored as JSON.
  encode: (chunk: UIMessageChunk | string) => (typeof chunk === 'string' ? `data: ${chunk}\n\n` : frame(chunk)),
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
    description: `Takes a generation request, or what the chat transport or \`useCompletion\` of the AI SDK sends. The chunks are followed by \`data: [DONE]\`. ${continues} A resumable answer continues without its client, and a durable one also without the server that began it.`,
    params: IdParams,
    body: ChatRequest,
    bodySize: 'agent',
    failures: [404, 409],
    handler: async (call, services): Promise<EventBatches<UIMessageChunk | string>> => {
      const { body, caller, params, signal, traceParent } = call;
      const { options } = body;
      const agent = services.registry.getAgent(params.id);
      const { chat: sent, continued, input } = readChatRequest(body);
      const chat = { ...sent, operation: 'chat' };
      const start = (runSignal: AbortSignal): Promise<EventBatches<UIMessageChunk>> => {
        const runOptions = toRunOptions(options, { caller, traceParent, signal: runSignal }, services, chat);
        return startChat(agent, input, runOptions, servicesFor(call, services));
      };
      const runOptions = toRunOptions(options, call, services, chat);
      const kind = chatKind(agent, options, services);
      if (kind === 'plain') return start(signal);

      const { conversationId, userId } = runOptions;
      if (conversationId === undefined)
        throw new InvalidInputError('body/options/conversationId is required for a chat that is resumable or durable');
      const answer = {
        agentId: agent.id,
        conversationId,
        userId,
        callerKey: services.storedCallerKey(caller),
        policy: agent.onBusy,
        continues: continued,
      };
      return kind === 'durable' && !(await answersExecution(agent, input, runOptions, services))
        ? services.durableAnswers.start(answer, input, runOptions, signal, services.workflows)
        : services.answers.start(answer, signal, start);
    },
  }),
  defineStream({
    ...common,
    ...uiMessageStream,
    method: 'GET',
    url: '/agents/:id/chat/:conversationId/stream',
    operationId: 'resumeChat',
    summary: 'Follow the live answer of a conversation, from its first chunk',
    description:
      'For resumable chats, whichever server generates the answer. The chat transport of the AI SDK reconnects here. The chunks are followed by `data: [DONE]`.',
    params: ChatParams,
    failures: [404],
    nothing: 'The conversation has no live answer that is resumable',
    handler: async ({ caller, params: { conversationId, id }, signal }, { answers, registry }) => {
      const agent = registry.getAgent(id);
      return answers.find(ownerOf(caller), { agentId: agent.id, conversationId }, signal);
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/agents/:id/chat/:conversationId/stop',
    operationId: 'stopChat',
    summary: 'Stop the live answer of a conversation',
    description:
      'For resumable chats, whichever server generates the answer. The text so far stays in the conversation; clients that follow it get an `abort` chunk.',
    params: ChatParams,
    failures: [404],
    data: Type.Object({ stopped: Type.Boolean({ description: 'Whether there was an answer to stop' }) }),
    handler: async ({ caller, params: { conversationId, id } }, { answers, registry }) => {
      const agent = registry.getAgent(id);
      return { stopped: await answers.stop(ownerOf(caller), { agentId: agent.id, conversationId }) };
    },
  }),
];

type ChatKind = 'plain' | 'resumable' | 'durable';

/** The request decides before the agent. A resumable chat is durable where the storage outlives the process, unless one of them sets it. */
function chatKind(
  agent: Agent,
  options: ChatOptions | undefined,
  { durableAnswers }: Pick<Services, 'durableAnswers'>,
): ChatKind {
  const { durable, resumable } = options ?? {};
  const isResumable = resumable ?? (durable === true || agent.resumable || agent.durable === true);
  if (!isResumable) return 'plain';
  return (durable ?? agent.durable ?? durableAnswers.outliveProcess) ? 'durable' : 'resumable';
}

/** Whether a resumable chat of the agent is durable. */
export function isDurableChat(agent: Agent, services: Pick<Services, 'durableAnswers'>): boolean {
  return chatKind(agent, { resumable: true }, services) === 'durable';
}

/** Whether the input answers executions of workflows. They continue by themselves, and are only followed. */
async function answersExecution(
  agent: Agent,
  input: AgentInput,
  { conversationId, user, userId }: RunOptions,
  { agentServices }: Pick<Services, 'agentServices'>,
): Promise<boolean> {
  return (await executionAnswers(input, agent, agentServices, { userId, conversationId, user })).length > 0;
}
