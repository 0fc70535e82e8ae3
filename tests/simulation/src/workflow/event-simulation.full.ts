import type { ExecutionStore, NewPublishedEvent, Owner, Publication } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { EventSimulation } from './event-simulation.ts';
import { type PlantedBug, SeedRuns } from './seed-runs.ts';
import { Violation } from './violation.ts';

class IgnoresRequestIds extends InMemoryExecutionStore {
  #calls = 0;

  override publish(owner: Owner, event: NewPublishedEvent): Promise<Publication> {
    this.#calls += 1;
    return super.publish(owner, { ...event, id: `${event.id} ${this.#calls}`, requestId: `${this.#calls}` });
  }
}

class LosesEvents extends InMemoryExecutionStore {
  #calls = 0;

  override async publish(owner: Owner, event: NewPublishedEvent): Promise<Publication> {
    this.#calls += 1;
    return this.#calls % 3 === 0 ? { eventId: event.id, deliveries: [] } : super.publish(owner, event);
  }
}

/** Each event has the payload of the one before. */
class MixesPayloads extends InMemoryExecutionStore {
  #last: NewPublishedEvent['payload'] = null;

  override publish(owner: Owner, event: NewPublishedEvent): Promise<Publication> {
    const payload = this.#last ?? event.payload;
    this.#last = event.payload;
    return super.publish(owner, { ...event, payload });
  }
}

/** A repeated step starts another execution. */
class StartsUnderOtherIds extends InMemoryExecutionStore {
  #creates = 0;

  override create(...[execution, options]: Parameters<ExecutionStore['create']>): ReturnType<ExecutionStore['create']> {
    this.#creates += 1;
    const isStarted = 'startedBy' in execution.metadata;
    return super.create(isStarted ? { ...execution, id: `${execution.id} ${this.#creates}` } : execution, options);
  }
}

const plantedBugs: readonly PlantedBug[] = [
  ['a repeated request publishes an event again', (clock) => new IgnoresRequestIds(clock)],
  ['an accepted event is lost', (clock) => new LosesEvents(clock)],
  ['an execution receives another event', (clock) => new MixesPayloads(clock)],
  ['a step starts an execution twice', (clock) => new StartsUnderOtherIds(clock)],
];

const runs = new SeedRuns({
  variable: 'EVENT',
  count: 300,
  create: (options) => new EventSimulation(options),
});

it(
  'delivers each event once and starts each execution once when calls fail and processes crash',
  { timeout: 3_600_000 },
  async () => {
    expect(await runs.firstError()).toBeUndefined();
  },
);

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  expect(await runs.firstError(createStore)).toBeInstanceOf(Violation);
});
