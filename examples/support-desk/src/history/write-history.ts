import { type Ids, silentLogger, type Storage, type VectorStore } from '@halyard/contracts';
import { costByPrices, createApprovals, createRecorder, Telemetry } from '@halyard/core/server';
import type { FixedClock } from '@halyard/core/testing';
import { approvalExpiryMs } from '../desk.ts';
import { createDeskMemory } from '../memory.ts';
import { prices } from '../prices.ts';
import { historyLogger } from './history-logger.ts';
import { HistoryPlayer } from './history-player.ts';
import { quickStores } from './quick-stores.ts';
import { seededRandom } from './random.ts';
import type { HistoryEvent } from './script.ts';

export interface HistoryOptions {
  readonly events: readonly HistoryEvent[];
  /** Its clock is that of the history while it is written. */
  readonly storage: Storage;
  readonly vectors: VectorStore;
  /** Shows what time it is in the history. */
  readonly clock: FixedClock;
  /** The secret of the server, so that the approvals that wait can be answered. */
  readonly secret: string;
  /** Called after each event. */
  readonly onProgress?: (done: number) => void;
}

const seed = 7_919;

/**
 * Writes the history by playing it: the real agents, tools and workflows run with models and a shop
 * that follow a script, on a clock that shows the time of the past. So it looks like what a server
 * records, and what waits for a person in it can be answered.
 */
export async function writeHistory({
  clock,
  events,
  onProgress,
  secret,
  storage,
  vectors,
}: HistoryOptions): Promise<void> {
  if (storage.telemetry === undefined) throw new TypeError('The storage must store spans');
  // Without streams, by which processes take turns in a conversation: nobody else writes to these.
  const { streams: _, ...stores } = storage;
  const quick = quickStores(storage, vectors, clock);
  const { conversations, workingMemory } = quick;
  const memory = createDeskMemory({ ...stores, conversations, workingMemory }, quick.vectors);
  const random = seededRandom(seed);
  const ids = idsOf(seed + 1);
  // Few large writes are faster than many small ones.
  const costOf = costByPrices(prices);
  const telemetry = new Telemetry({ store: storage.telemetry, clock, logger: silentLogger, costOf, flushMs: 60_000 });
  const recorder = createRecorder({ sink: telemetry, clock, resource: { 'service.name': 'halyard' } });
  const services = {
    clock,
    ids,
    recorder,
    memory,
    logger: historyLogger(telemetry, clock, () => recorder.active()),
    approvals: createApprovals({ secrets: [secret], store: storage.approvals, clock, ids, expiryMs: approvalExpiryMs }),
  };
  const player = new HistoryPlayer({ storage, memory, services, clock, random });
  for (const [index, event] of events.entries()) {
    await player.play(event);
    onProgress?.(index + 1);
  }
  await player.stop();
  await quick.finish();
  await telemetry.close();
}

/** Ids in the form of UUIDs, the same in each run. */
function idsOf(start: number): Ids {
  const random = seededRandom(start);
  const digits = (count: number): string =>
    Array.from({ length: count }, () => random.between(0, 15).toString(16)).join('');
  return { next: () => `${digits(8)}-${digits(4)}-4${digits(3)}-a${digits(3)}-${digits(12)}` };
}
