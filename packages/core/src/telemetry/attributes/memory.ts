import type { Attributes } from '@halyard/contracts';

/** The operations of a run on its memory. */
export type MemoryOperation = 'read' | 'write' | 'recall' | 'working-memory';

export function memoryAttributes(operation: MemoryOperation, conversationId: string): Attributes {
  return { 'halyard.memory.operation': operation, 'gen_ai.conversation.id': conversationId };
}
