import type { MessageFilter, MessageRole } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { actorForCaller, ownerForCaller } from '../../../access/identity.ts';
import { audited, auditedForOperators } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { findFeedback } from '../agents/find-feedback.ts';
import { toTime } from '../common-schemas.ts';
import { describeConversation, describeMessage } from './describe-conversation.ts';
import { accessMemory, onConversation, requiredUser } from './memory-access.ts';
import { saveMessages } from './save-messages.ts';
import {
  Conversation,
  ConversationParams,
  DeleteMessagesRequest,
  MemoryQuery,
  ListMessagesQuery,
  SaveMessagesRequest,
  StoredMessage,
} from './schemas.ts';

const common = { tier: 'user', tag: 'Memory', failures: [403, 404] } as const;

export const messageRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    url: '/api/memory/conversations/:conversationId/messages',
    operationId: 'listMessages',
    audit: auditedForOperators('conversation.read'),
    readsList: true,
    summary: 'List the newest messages of a conversation, oldest first',
    params: ConversationParams,
    query: ListMessagesQuery,
    description:
      'A page contains as many messages as fit into its limit of bytes: continue with `before`, the time of its first message, while `hasMore` is true.',
    data: Type.Object({
      conversation: Conversation,
      messages: Type.Array(StoredMessage),
      hasMore: Type.Boolean({ description: 'Whether older messages match too.' }),
    }),
    handler: async (call, services) => {
      const { conversationId } = call.params;
      const filter = toMessageFilter(call.query);
      const access = accessMemory(call.caller, [call.query], services);
      const { conversation, hasMore, messages } = await onConversation(access, conversationId, (owner) =>
        access.memory.messages(owner, conversationId, filter),
      );
      const user = actorForCaller(call.caller) ?? call.query.userId;
      const feedback =
        call.query.includeFeedback === true
          ? await findFeedback({ conversation, messages, user }, ownerForCaller(call.caller), services)
          : undefined;
      return {
        conversation: describeConversation(conversation),
        messages: messages.map((message) => describeMessage(message, feedback?.get(message.id))),
        hasMore,
      };
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/api/memory/save-messages',
    operationId: 'saveMessages',
    audit: auditedForOperators('messages.save'),
    summary: 'Write messages into existing conversations',
    description:
      'A message replaces the one with the same id, else it is appended. Nothing is written unless all messages are valid and all conversations exist. The messages of one conversation are written atomically. Summaries of a message that changes are deleted.',
    bodySize: 'messages',
    query: MemoryQuery,
    body: SaveMessagesRequest,
    data: Type.Object({ saved: Type.Integer() }),
    handler: async (call, services) => ({ saved: await saveMessages(call, services) }),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: '/api/memory/messages/delete',
    operationId: 'deleteMessages',
    audit: audited('messages.delete', ['messageIds']),
    summary: 'Delete messages of a conversation',
    description: 'Also deletes the summaries that repeat them. Deleting a summary undoes it.',
    query: MemoryQuery,
    body: DeleteMessagesRequest,
    data: Type.Object({ deleted: Type.Integer({ description: 'The number of deleted messages.' }) }),
    handler: async (call, services) => {
      const { conversationId, messageIds } = call.body;
      const access = accessMemory(call.caller, [call.body, call.query], services);
      requiredUser(access.owner);
      const deleted = await onConversation(access, conversationId, (owner) =>
        access.memory.deleteMessages(owner, conversationId, messageIds),
      );
      return { deleted };
    },
  }),
];

function toMessageFilter({
  after,
  before,
  includeInactive = false,
  limit,
  roles,
}: ListMessagesQuery): MessageFilter & { readonly includeInactive: boolean } {
  return {
    limit,
    includeInactive,
    ...(before !== undefined && { before: toTime('query/before', before) }),
    ...(after !== undefined && { after: toTime('query/after', after) }),
    // `ListMessagesQuery` refuses other roles.
    ...(roles !== undefined && { roles: [...new Set(roles.split(',') as MessageRole[])] }),
  };
}
