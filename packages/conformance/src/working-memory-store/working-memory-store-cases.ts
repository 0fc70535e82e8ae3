import { conversationCases } from './conversation-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { updateCases } from './update-cases.ts';
import { valueCases } from './value-cases.ts';
import type { WorkingMemoryStoreCase } from './working-memory-store-harness.ts';

/** The cases of every working memory store. */
export const workingMemoryStoreCases: readonly WorkingMemoryStoreCase[] = [
  ...updateCases,
  ...ownerCases,
  ...conversationCases,
  ...valueCases,
];
