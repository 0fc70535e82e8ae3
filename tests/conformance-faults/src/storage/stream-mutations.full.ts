import { ConformanceError, streamStoreCases } from '@halyard/conformance';
import { InMemoryStreamStore } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { failureOf } from './failure-of.ts';
import { faulty } from './faulty.ts';
import { streamFaults } from './stream-faults.ts';
import { streamLifeFaults } from './stream-life-faults.ts';
import { streamWatchFaults } from './stream-watch-faults.ts';

const mutations = [...streamFaults, ...streamLifeFaults, ...streamWatchFaults];

it.each(mutations)('the suite finds a stream store that %s', async (_name, foundBy, fault) => {
  let time = 1_750_000_000_000;
  const now = (): number => time;
  const store = new InMemoryStreamStore({ now });
  const harness = { store: faulty(store, fault(store, now)), advance: (ms: number) => void (time += ms) };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const failure = failureOf(streamStoreCases, foundBy, harness);
    // The time that a case waits for a notification.
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await failure).toBeInstanceOf(ConformanceError);
  } finally {
    vi.useRealTimers();
  }
});

it('has only cases that find at least one fault', () => {
  const found = new Set(mutations.map(([, foundBy]) => foundBy));
  expect(streamStoreCases.map(({ name }) => name).filter((name) => !found.has(name))).toEqual([]);
});
