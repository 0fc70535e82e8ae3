import type { UIMessageChunk } from '@halyard/core';
import { Type } from '@sinclair/typebox';
import { ownerForCaller } from '../../../access/identity.ts';
import { auditedResponses } from '../../../runtime/audit/audited-approvals.ts';
import { defineRoute } from '../../define/define-route.ts';
import { defineStream, type EventBatches } from '../../define/define-stream.ts';
import { frame } from '../../streaming/frame.ts';
import { IdParams } from '../common-schemas.ts';
import { readChatRequest } from './chat-request.ts';
import { UiMessageChunk } from './event-schemas.ts';
import { resumesExecutions, servicesFor } from './generation.ts';
import { toRunOptions } from './run-options.ts';
import { ChatParams, ChatRequest } from './schemas.ts';

const common = { tier: 'user', tag: 'Agents' } as const;

const uiMessageStream = {
  event: UiMessageChunk,
  headers: { 'x-vercel-ai-ui-message-stream': 'v1' },
  // The chunks of resumable chats are stored as JSON.
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
    audit: auditedResponses,
    summary: 'Chat, in the UI message stream format of the AI SDK',
    description: `Takes a generation request, or the request of the chat transport or \`useCompletion\` of the AI SDK. The chunks are followed by \`data: [DONE]\`. ${resumesExecutions} A resumable reply continues without its client, and a durable one also without the server that began it.`,
    params: IdParams,
    body: ChatRequest,
    bodySize: 'agent',
    failures: [404, 409],
    handler: async (call, services): Promise<EventBatches<UIMessageChunk | string>> => {
      const { body, caller, params, signal } = call;
      const { options } = body;
      const agent = services.registry.getAgent(params.id);
      const { chat, extended, input } = readChatRequest(body);
      const runOptions = toRunOptions(options, call, services, { ...chat, operation: 'chat' });
      return services.chats.start(
        {
          agent,
          input,
          options: { ...runOptions, signal },
          resumable: options?.resumable,
          durable: options?.durable,
          extendedMessage: extended,
          callerKey: services.storedCallerKey(caller),
        },
        servicesFor(call, services),
      );
    },
  }),
  defineStream({
    ...common,
    ...uiMessageStream,
    method: 'GET',
    url: '/agents/:id/chat/:conversationId/stream',
    operationId: 'resumeChat',
    summary: 'Follow the live reply of a conversation, from its first chunk',
    description:
      'For resumable chats, whichever server generates the reply. The chat transport of the AI SDK reconnects here. The chunks are followed by `data: [DONE]`.',
    params: ChatParams,
    failures: [404],
    nothing: 'The conversation has no live reply that is resumable',
    handler: async ({ caller, params: { conversationId, id }, signal }, { chats, registry }) => {
      const agent = registry.getAgent(id);
      return chats.follow(ownerForCaller(caller), { agentId: agent.id, conversationId }, signal);
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/agents/:id/chat/:conversationId/stop',
    operationId: 'stopChat',
    summary: 'Stop the live reply of a conversation',
    description:
      'For resumable chats, whichever server generates the reply. The text so far stays in the conversation; clients that follow it get an `abort` chunk.',
    params: ChatParams,
    failures: [404],
    data: Type.Object({ stopped: Type.Boolean({ description: 'Whether there was a reply to stop' }) }),
    handler: async ({ caller, params: { conversationId, id } }, { chats, registry }) => {
      const agent = registry.getAgent(id);
      return { stopped: await chats.stop(ownerForCaller(caller), { agentId: agent.id, conversationId }) };
    },
  }),
];
