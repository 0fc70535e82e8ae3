import { cloneCases } from './clone-cases.ts';
import type { ConversationStoreCase } from './conversation-store-harness.ts';
import { createCases } from './create-cases.ts';
import { dropCases } from './drop-cases.ts';
import { listCases } from './list-cases.ts';
import { messageCases } from './message-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { pageCases } from './page-cases.ts';
import { partCases } from './part-cases.ts';
import { raceCases } from './race-cases.ts';
import { valueCases } from './value-cases.ts';
import { waitingCases } from './waiting-cases.ts';

/** The cases of every conversation store. */
export const conversationStoreCases: readonly ConversationStoreCase[] = [
  ...createCases,
  ...ownerCases,
  ...listCases,
  ...messageCases,
  ...pageCases,
  ...partCases,
  ...dropCases,
  ...cloneCases,
  ...raceCases,
  ...valueCases,
  ...waitingCases,
];
