import { InvalidInputError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { audited, auditedForOperators } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { describeConversation } from './describe-conversation.ts';
import { accessMemory, onConversation, requiredUser } from './memory-access.ts';
import {
  Conversation,
  ConversationChange,
  ConversationClone,
  ConversationParams,
  ConversationQuery,
  MemoryQuery,
  NewConversation,
} from './schemas.ts';

const common = { tier: 'user', tag: 'Memory' } as const;
const path = '/api/memory/conversations';
const one = { ...common, url: `${path}/:conversationId`, params: ConversationParams, failures: [403, 404] } as const;

/** The orders of the list, by their names in the API. */
const orders = { created_at: 'createdAt', updated_at: 'updatedAt', title: 'title' } as const;

export const conversationRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    url: path,
    operationId: 'listConversations',
    readsList: true,
    summary: 'List conversations',
    query: ConversationQuery,
    failures: [403, 404],
    data: Type.Object({
      conversations: Type.Array(Conversation),
      total: Type.Integer({ description: 'The number of conversations on all pages.' }),
      limit: Type.Integer(),
      offset: Type.Integer(),
    }),
    handler: async (call, services) => {
      const { agentId, limit, offset, orderBy, orderDirection } = call.query;
      const { memory, owner } = accessMemory(call.caller, [call.query], services);
      const resourceId = call.query.resourceId ?? agentId;
      const { conversations, total } = await memory.list(owner, {
        ...(resourceId !== undefined && { resourceId }),
        orderBy: orders[orderBy],
        direction: orderDirection.toLowerCase() === 'asc' ? 'asc' : 'desc',
        limit,
        offset,
      });
      return { conversations: conversations.map(describeConversation), total, limit, offset };
    },
  }),
  defineRoute({
    ...one,
    method: 'GET',
    operationId: 'getConversation',
    audit: auditedForOperators('conversation.read'),
    summary: 'Get a conversation',
    query: MemoryQuery,
    data: Type.Object({ conversation: Conversation }),
    handler: async (call, services) => {
      const { conversationId } = call.params;
      const access = accessMemory(call.caller, [call.query], services);
      const conversation = await onConversation(access, conversationId, (owner) =>
        access.memory.get(owner, conversationId),
      );
      return { conversation: describeConversation(conversation) };
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    url: path,
    operationId: 'createConversation',
    audit: auditedForOperators('conversation.create'),
    summary: 'Create a conversation',
    description: 'Not necessary before a run: agents create the conversation of a run themselves.',
    query: MemoryQuery,
    body: NewConversation,
    status: 201,
    failures: [403, 404, 409],
    data: Type.Object({ conversation: Conversation }),
    handler: async (call, services) => {
      const { conversationId, metadata, resourceId, title = '' } = call.body;
      const { agentId, memory, owner } = accessMemory(call.caller, [call.body, call.query], services);
      const conversation = await memory.create({
        id: conversationId ?? services.agentServices.ids.next(),
        resourceId: resourceId ?? agentId ?? 'default',
        userId: requiredUser(owner),
        title,
        metadata: metadata ?? {},
      });
      return { conversation: describeConversation(conversation) };
    },
  }),
  defineRoute({
    ...one,
    method: 'PATCH',
    operationId: 'updateConversation',
    audit: auditedForOperators('conversation.update'),
    summary: 'Change the title or the metadata of a conversation',
    query: MemoryQuery,
    body: ConversationChange,
    data: Type.Object({ conversation: Conversation }),
    handler: async (call, services) => {
      const { conversationId } = call.params;
      const { metadata, title } = call.body;
      if (title === undefined && (metadata === undefined || metadata === null))
        throw new InvalidInputError('body must have title or metadata');
      const access = accessMemory(call.caller, [call.body, call.query], services);
      const change = {
        ...(title !== undefined && { title }),
        ...(metadata !== undefined && metadata !== null && { metadata }),
      };
      const conversation = await onConversation(access, conversationId, (owner) =>
        access.memory.update(owner, conversationId, change),
      );
      return { conversation: describeConversation(conversation) };
    },
  }),
  defineRoute({
    ...one,
    method: 'DELETE',
    servesRoles: true,
    operationId: 'deleteConversation',
    audit: audited('conversation.delete'),
    summary: 'Delete a conversation with its messages, working memory and vectors',
    query: MemoryQuery,
    data: Type.Object({ deleted: Type.Literal(true) }),
    handler: async (call, services) => {
      const { conversationId } = call.params;
      const access = accessMemory(call.caller, [call.query], services);
      await onConversation(access, conversationId, (owner) => access.memory.delete(owner, conversationId));
      return { deleted: true as const };
    },
  }),
  defineRoute({
    ...one,
    method: 'POST',
    url: `${path}/:conversationId/clone`,
    operationId: 'cloneConversation',
    audit: auditedForOperators('conversation.clone', ['newConversationId']),
    summary: 'Copy a conversation with its working memory',
    description: 'The messages of the copy have new ids and the original order and times.',
    query: MemoryQuery,
    body: ConversationClone,
    status: 201,
    failures: [403, 404, 409],
    data: Type.Object({ conversation: Conversation, messageCount: Type.Integer() }),
    handler: async (call, services) => {
      const { conversationId: id } = call.params;
      const { includeMessages = true, newConversationId, title } = call.body ?? {};
      const access = accessMemory(call.caller, [call.body, call.query], services);
      const clone = {
        id,
        newId: newConversationId ?? services.agentServices.ids.next(),
        includeMessages,
        ...(title !== undefined && { title }),
      };
      const { conversation, messageCount } = await onConversation(access, id, (owner) =>
        access.memory.clone(owner, clone),
      );
      return { conversation: describeConversation(conversation), messageCount };
    },
  }),
];
