import { silentLogger, type TelemetryBatch, type TelemetryStore } from '@halyard/contracts';
import { createInMemoryStorage } from '@halyard/memory-in-memory';
import { expect, it, vi } from 'vitest';
import { fixedClock } from '../testing/fixed-clock.ts';
import { createRecorder } from './create-recorder.ts';
import { Telemetry, type TelemetryEvent } from './telemetry.ts';

function telling(write: (batch: TelemetryBatch) => Promise<void>, maxWaiting?: number) {
  const clock = fixedClock();
  const warned: object[] = [];
  const failed: object[] = [];
  const logger = {
    ...silentLogger,
    warn: (fields: object) => void warned.push(fields),
    error: (fields: object) => void failed.push(fields),
  };
  const { telemetry: inMemoryStore } = createInMemoryStorage();
  const store = { ...inMemoryStore, name: 'test', write } as TelemetryStore;
  const telemetry = new Telemetry({ store, clock, logger, ...(maxWaiting !== undefined && { maxWaiting }) });
  return { clock, failed, telemetry, warned, recorder: createRecorder({ sink: telemetry, clock }) };
}

it('writes entries when they start and spans when they end, and no empty batches', async () => {
  const batches: TelemetryBatch[] = [];
  const { recorder, telemetry } = telling(async (batch) => void batches.push(batch));

  const entry = recorder.start({ name: 'entry' });
  const inner = recorder.start({ name: 'inner', parent: entry.context });
  await telemetry.flush();
  inner.end();
  entry.end();
  await telemetry.flush();
  recorder.start({ name: 'short' }).end();
  await telemetry.flush();
  await telemetry.flush();

  const written = batches.map(({ spans }) =>
    spans.map(({ endTime, name }) => `${name} ${endTime === null ? 'runs' : 'ended'}`),
  );
  expect(written).toEqual([['entry runs'], ['inner ended', 'entry ended'], ['short ended']]);
});

it('writes running entries, however many short ones have ended', async () => {
  const batches: TelemetryBatch[] = [];
  const { recorder, telemetry } = telling(async (batch) => void batches.push(batch), 500);

  const long = Array.from({ length: 100 }, (_, index) => recorder.start({ name: `long ${index}` }));
  for (let count = 0; count < 350; count += 1) recorder.start({ name: 'short' }).end();
  await telemetry.flush();
  const running = batches.flatMap(({ spans }) => spans).filter(({ endTime }) => endTime === null);
  expect(running.map(({ name }) => name)).toEqual(long.map((_, index) => `long ${index}`));
});

it('writes a full batch at once without running entries, which the timer writes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const batches: TelemetryBatch[] = [];
  const { recorder, telemetry } = telling(async (batch) => void batches.push(batch));

  const long = recorder.start({ name: 'long' });
  for (let count = 0; count < 1_000; count += 1) recorder.start({ name: 'short' }).end();
  await new Promise(setImmediate);
  expect(batches.map(({ spans }) => spans.length)).toEqual([1_000]);
  vi.advanceTimersByTime(200);
  await new Promise(setImmediate);
  expect(batches.slice(1).map(({ spans }) => spans.map(({ name }) => name))).toEqual([['long']]);

  long.end();
  await telemetry.close();
  vi.useRealTimers();
});

it('drops records when too many wait or the store fails, and warns once a minute', async () => {
  let isAway = true;
  const { clock, recorder, telemetry, warned } = telling(async () => {
    if (isAway) throw new Error('away');
  }, 4);

  for (let count = 0; count < 3; count += 1) {
    for (let span = 0; span < 3; span += 1) recorder.start({ name: 'work' }).end();
    await telemetry.flush();
  }
  expect(warned).toHaveLength(1);
  isAway = false;
  clock.advance(60_000);
  recorder.start({ name: 'work' }).end();
  await telemetry.flush();

  expect(warned).toHaveLength(2);
});

it('publishes to all listeners, even when one of them throws', async () => {
  const { failed, recorder, telemetry } = telling(async () => {});
  const events: TelemetryEvent['type'][] = [];
  telemetry.subscribe(() => {
    throw new Error('no');
  });
  const stop = telemetry.subscribe(({ type }) => void events.push(type));

  recorder.start({ name: 'work' }).end({ error: new Error('x') });
  stop();
  recorder.start({ name: 'without listeners' }).end();

  expect(events).toEqual(['span:start', 'span:error']);
  expect(failed).toHaveLength(4);
  await telemetry.close();
});

it('ignores everything after it is closed', async () => {
  const batches: TelemetryBatch[] = [];
  const { recorder, telemetry } = telling(async (batch) => void batches.push(batch));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  recorder.start({ name: 'work' }).end();
  recorder.start({ name: 'more' }).end();
  expect(vi.getTimerCount()).toBe(1);

  await telemetry.close();
  recorder.start({ name: 'late' }).end();
  await telemetry.flush();

  expect(batches).toHaveLength(1);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
