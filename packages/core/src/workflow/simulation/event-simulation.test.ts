import type { Clock, ExecutionStore, NewPublishedEvent, Owner, Publication } from '@halyard/contracts';
import { InMemoryExecutionStore } from '@halyard/memory-in-memory';
import { expect, it } from 'vitest';
import { EventSimulation } from './event-simulation.ts';
import { Violation } from './violation.ts';

/** `EVENT_SEED=7` runs one seed and prints its trace; `EVENT_SEEDS=100000` runs more seeds. */
const only = process.env['EVENT_SEED'];
const count = Number(process.env['EVENT_SEEDS'] ?? 300);

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

const plantedBugs: readonly (readonly [what: string, createStore: (clock: Clock) => ExecutionStore])[] = [
  ['a repeated request publishes an event again', (clock) => new IgnoresRequestIds(clock)],
  ['an accepted event is lost', (clock) => new LosesEvents(clock)],
  ['an execution receives another event', (clock) => new MixesPayloads(clock)],
  ['a step starts an execution twice', (clock) => new StartsUnderOtherIds(clock)],
];

it(
  'delivers each event once and starts each execution once when calls fail and processes crash',
  { timeout: 3_600_000 },
  async () => {
    const [first, last] = only === undefined ? [0, count] : [Number(only), Number(only) + 1];
    for (let seed = first; seed < last; seed += 1)
      expect(await violationOf(seed), `EVENT_SEED=${seed}`).toBeUndefined();
  },
);

it.each(plantedBugs)('the simulation finds that %s', { timeout: 60_000 }, async (_what, createStore) => {
  let found: unknown;
  for (let seed = 0; seed < count && found === undefined; seed += 1) found = await violationOf(seed, createStore);
  expect(found).toBeInstanceOf(Violation);
});

async function violationOf(seed: number, createStore?: (clock: Clock) => ExecutionStore): Promise<unknown> {
  const simulation = new EventSimulation({ seed, ...(createStore && { createStore }) });
  try {
    await simulation.run();
    return undefined;
  } catch (error) {
    if (only !== undefined) process.stderr.write(`${simulation.schedule.trace.join('\n')}\n`);
    return error;
  }
}
