import { InvalidInputError } from '@halyard/contracts';
import { Type } from '@sinclair/typebox';
import { auditedForOperators } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { accessMemory, type MemoryAccess, onConversation } from './memory-access.ts';
import { ConversationParams, MemoryQuery, WorkingMemory, WorkingMemoryQuery, WorkingMemoryUpdate } from './schemas.ts';

const common = {
  tier: 'user',
  tag: 'Memory',
  url: '/api/memory/conversations/:conversationId/working-memory',
  params: ConversationParams,
  failures: [403, 404],
} as const;

export const workingMemoryRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    operationId: 'getWorkingMemory',
    audit: auditedForOperators('working-memory.read'),
    summary: 'Get the working memory of a conversation or its user',
    query: WorkingMemoryQuery,
    data: WorkingMemory,
    handler: async (call, services) => {
      const { conversationId } = call.params;
      const { scope } = call.query;
      const access = accessMemory(call.caller, [call.query], services);
      if (scope === 'user' && access.owner === 'anyone')
        throw new InvalidInputError('query/userId is required for scope user');
      return onConversation(access, conversationId, (owner) =>
        access.memory.readWorkingMemory(owner, workingMemoryKey(conversationId, scope, access)),
      );
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    operationId: 'updateWorkingMemory',
    audit: auditedForOperators('working-memory.update', ['scope']),
    summary: 'Change the working memory of a conversation or its user',
    failures: [403, 404, 409],
    query: MemoryQuery,
    body: WorkingMemoryUpdate,
    data: Type.Object({ updated: Type.Literal(true) }),
    handler: async (call, services) => {
      const { conversationId } = call.params;
      const { content, expected, mode = 'replace', scope } = call.body;
      const access = accessMemory(call.caller, [call.body, call.query], services);
      await onConversation(access, conversationId, (owner) =>
        access.memory.writeWorkingMemory(owner, {
          ...workingMemoryKey(conversationId, scope, access),
          content,
          expected,
          mode,
        }),
      );
      return { updated: true as const };
    },
  }),
];

function workingMemoryKey(
  conversationId: string,
  scope: 'conversation' | 'user' | undefined,
  { owner }: Pick<MemoryAccess, 'owner'>,
) {
  return {
    conversationId,
    ...(scope !== undefined && { scope }),
    ...(owner !== 'anyone' && { userId: owner.user }),
  };
}
