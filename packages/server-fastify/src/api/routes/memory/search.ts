import { isoTime } from '@halyard/core/server';
import { auditedForOperators } from '../../../runtime/audit/audited.ts';
import { defineRoute } from '../../define/define-route.ts';
import { accessMemory } from './memory-access.ts';
import { MemorySearchQuery, MemorySearchResult } from './schemas.ts';

export const memorySearchRoutes = [
  defineRoute({
    method: 'GET',
    url: '/api/memory/search',
    tier: 'user',
    tag: 'Memory',
    operationId: 'searchMemory',
    audit: auditedForOperators('memory.search'),
    readsList: true,
    summary: 'Search messages by meaning',
    description: 'Requires a memory with an embedding model and a vector store.',
    query: MemorySearchQuery,
    failures: [403, 404, 500],
    data: MemorySearchResult,
    handler: async (call, services) => {
      const { conversationId, limit, searchQuery: query, threshold } = call.query;
      const { memory, owner } = accessMemory(call.caller, [call.query], services);
      const matches = await memory.search(owner, {
        query,
        limit,
        threshold,
        ...(conversationId !== undefined && { conversationId }),
      });
      const results = matches.map(({ createdAt, conversationId: where, messageId, role, score, text }) => ({
        messageId,
        conversationId: where,
        role,
        text,
        score,
        createdAt: isoTime(createdAt),
      }));
      return { results, count: results.length, query };
    },
  }),
];
