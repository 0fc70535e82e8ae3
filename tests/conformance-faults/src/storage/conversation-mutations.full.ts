import { ConformanceError, conversationStoreCases, type ConversationStoreHarness } from '@halyard/conformance';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import type { ConversationFault } from './conversation-fault.ts';
import { conversationFaults } from './conversation-faults.ts';
import { failureOf } from './failure-of.ts';
import { faulty } from './faulty.ts';
import { listFaults } from './list-faults.ts';
import { messageFaults } from './message-faults.ts';
import { ownerFaults } from './owner-faults.ts';
import { pageFaults } from './page-faults.ts';
import { partFaults } from './part-faults.ts';
import { raceFaults } from './race-faults.ts';
import { valueFaults } from './value-faults.ts';
import { waitingFaults } from './waiting-faults.ts';

const mutations = [
  ...conversationFaults,
  ...ownerFaults,
  ...listFaults,
  ...messageFaults,
  ...pageFaults,
  ...partFaults,
  ...raceFaults,
  ...valueFaults,
  ...waitingFaults,
];

it.each(mutations)('the suite finds a conversation store that %s', async (_fault, foundBy, fault) => {
  expect(await failureOf(conversationStoreCases, foundBy, opened(fault))).toBeInstanceOf(ConformanceError);
});

it('has only cases that find at least one fault', () => {
  const found = new Set(mutations.map(([, foundBy]) => foundBy));
  expect(conversationStoreCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});

function opened(fault: ConversationFault[2]): ConversationStoreHarness {
  let now = 1_750_000_000_000;
  const { conversations } = createInMemoryStorage({ clock: { now: () => now } });
  const advance = (ms: number): void => {
    now += ms;
  };
  return { store: faulty(conversations, fault(conversations)), advance };
}
