import { conversationStoreCases } from '@halyard/conformance';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { faulty } from '../faults.ts';
import { provesAllCases, settableClock } from '../proves-cases.ts';
import { conversationFaults } from './conversation-faults.ts';
import { listFaults } from './list-faults.ts';
import { messageFaults } from './message-faults.ts';
import { ownerFaults } from './owner-faults.ts';
import { pageFaults } from './page-faults.ts';
import { partFaults } from './part-faults.ts';
import { raceFaults } from './race-faults.ts';
import { valueFaults } from './value-faults.ts';
import { waitingFaults } from './waiting-faults.ts';

const faults = [
  conversationFaults,
  ownerFaults,
  listFaults,
  messageFaults,
  pageFaults,
  partFaults,
  raceFaults,
  valueFaults,
  waitingFaults,
];

provesAllCases(conversationStoreCases, faults, (fault) => {
  const { advance, now } = settableClock();
  const { conversations } = createInMemoryStorage({ clock: { now } });
  return { store: faulty(conversations, fault(conversations)), advance };
});
