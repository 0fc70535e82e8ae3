import type { Attributes } from '@halyard/contracts';

/** What a run does with its memory. */
export type MemoryOperation = 'read' | 'write' | 'recall' | 'working-memory';

export function memoryAttributes(operation: MemoryOperation, conversationId: string): Attributes {
  return { 'halyard.memory.operation': operation, 'gen_ai.conversation.id': conversationId };
}
