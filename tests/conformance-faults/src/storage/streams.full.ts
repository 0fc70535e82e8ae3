import { streamStoreCases } from '@halyard/conformance';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { faulty } from '../faults.ts';
import { provesAllCases, settableClock } from '../proves-cases.ts';
import { streamFaults } from './stream-faults.ts';
import { streamLifeFaults } from './stream-life-faults.ts';
import { streamWatchFaults } from './stream-watch-faults.ts';

provesAllCases(streamStoreCases, [streamFaults, streamLifeFaults, streamWatchFaults], (fault) => {
  const { advance, now } = settableClock();
  const store = new InMemoryStreamStore({ now });
  return { store: faulty(store, fault(store, now)), advance };
});
