import { afterEach, expect, it, vi } from 'vitest';
import { operatorKey } from '../access/identity.ts';
import { CallerTurns } from './caller-turns.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Work that notes its start, and ends when the test ends it. */
class Job {
  readonly controller = new AbortController();
  readonly #ended = Promise.withResolvers<string>();
  readonly result: Promise<string>;

  constructor(turns: CallerTurns, started: string[], name: string, caller = 'ada') {
    const work = (): Promise<string> => {
      started.push(name);
      return this.#ended.promise;
    };
    this.result = turns.run(caller, this.controller, work);
    // The test may await it later.
    this.result.catch(() => {});
  }

  async end(result = 'done'): Promise<string> {
    this.#ended.resolve(result);
    return this.result;
  }

  async fail(error: Error): Promise<void> {
    this.#ended.reject(error);
    await expect(this.result).rejects.toBe(error);
  }
}

function expectIdle({ running, waitingCallers }: CallerTurns): void {
  expect({ running, waitingCallers }).toEqual({ running: 0, waitingCallers: 0 });
}

it('runs the work of one caller in its order, a few pieces at the same time', async () => {
  const turns = new CallerTurns({ perCaller: 2, perProcess: 9, waitMs: 1_000 });
  const started: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Job(turns, started, name));
  expect(started).toEqual(['a', 'b']);
  expect(await b?.end('of b')).toBe('of b');
  expect(started).toEqual(['a', 'b', 'c']);
  await a?.fail(new Error('broken'));
  expect(started).toEqual(['a', 'b', 'c', 'd']);
  await Promise.all([c?.end(), d?.end()]);
  expectIdle(turns);
});

it('does not let the work of other callers wait', async () => {
  const turns = new CallerTurns({ perCaller: 1, perProcess: 9, waitMs: 1_000 });
  const started: string[] = [];
  const jobs = [new Job(turns, started, 'a1'), new Job(turns, started, 'a2'), new Job(turns, started, 'b1', 'ben')];
  expect(started).toEqual(['a1', 'b1']);
  expect(turns.waitingCallers).toBe(1);
  await Promise.all(jobs.map((job) => job.end()));
  expectIdle(turns);
});

it('leaves room for others, however many callers have work, and gives it first to who has none', async () => {
  const turns = new CallerTurns({ perCaller: 4, perProcess: 7, waitMs: 1_000 });
  const started: string[] = [];
  const jobs = (caller: string, count: number): readonly Job[] =>
    Array.from({ length: count }, (_, index) => new Job(turns, started, `${caller} ${index}`, caller));
  const all = [...jobs('ada', 9), ...jobs('ben', 9), ...jobs('cleo', 9), ...jobs('dan', 1)];
  expect(started).toEqual(['ada 0', 'ada 1', 'ada 2', 'ada 3', 'ben 0', 'ben 1', 'cleo 0']);
  await all[0]?.end();
  expect(started.slice(7)).toEqual(['dan 0']);
  await all[1]?.end();
  expect(started.slice(8)).toEqual(['cleo 1']);
  const [eve] = jobs('eve', 1);
  await all[2]?.end();
  expect(started.slice(9)).toEqual(['eve 0']);
  await eve?.end();
  await Promise.all(all.map((job) => job.end()));
  expect(started).toHaveLength(29);
  expectIdle(turns);
});

it('lets callers take turns', async () => {
  const turns = new CallerTurns({ perCaller: 1, perProcess: 1, waitMs: 1_000 });
  const started: string[] = [];
  const jobs = ['ada', 'ada', 'ada', 'ben', 'ben', 'cleo'].map((caller) => new Job(turns, started, caller, caller));
  await Promise.all(jobs.map((job) => job.end()));
  expect(started).toEqual(['ada', 'ada', 'ben', 'cleo', 'ada', 'ben']);
  expectIdle(turns);
});

it('lets the console key have its own limit, however full the process is', async () => {
  const turns = new CallerTurns({ perCaller: 2, perProcess: 2, waitMs: 1_000 });
  const started: string[] = [];
  const callers = ['ada', 'ben', 'cleo', operatorKey, operatorKey, operatorKey];
  const jobs = callers.map((caller, index) => new Job(turns, started, String(index), caller));
  expect(started).toEqual(['0', '1', '3', '4']);
  await jobs[3]?.end();
  expect(started.slice(4)).toEqual(['5']);
  await jobs[0]?.end();
  expect(started).toHaveLength(5);
  await Promise.all(jobs.map((job) => job.end()));
  expectIdle(turns);
});

it('gives one caller everything where its limit is that of the process', async () => {
  const turns = new CallerTurns({ perCaller: 3, perProcess: 3, waitMs: 1_000 });
  const started: string[] = [];
  const jobs = ['a', 'b', 'c', 'd'].map((name) => new Job(turns, started, name));
  expect(started).toEqual(['a', 'b', 'c']);
  await Promise.all(jobs.map((job) => job.end()));
  expectIdle(turns);
});

it('says that the server is full to a caller whose work waited for that of others', async () => {
  vi.useFakeTimers();
  const turns = new CallerTurns({ perCaller: 1, perProcess: 1, waitMs: 1_000 });
  const started: string[] = [];
  const [a, b] = [new Job(turns, started, 'a'), new Job(turns, started, 'b', 'ben')];
  vi.advanceTimersByTime(1_000);
  await expect(b.result).rejects.toMatchObject({ kind: 'unavailable', code: 'OVERLOADED' });
  await a.end();
  expect(started).toEqual(['a']);
  expectIdle(turns);
});

it('never runs work whose signal is aborted before its turn', async () => {
  const turns = new CallerTurns({ perCaller: 1, perProcess: 9, waitMs: 1_000 });
  const started: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => new Job(turns, started, name));
  const left = new Error('left');
  b?.controller.abort(left);
  await expect(b?.result).rejects.toBe(left);
  const aborted = turns.run('ada', { signal: AbortSignal.abort(left) }, () => started.push('aborted'));
  await expect(aborted).rejects.toBe(left);
  await a?.end();
  expect(started).toEqual(['a', 'c']);
  await c?.end();
  expectIdle(turns);
});

it('keeps the turn of work whose signal is aborted until the work has ended', async () => {
  const turns = new CallerTurns({ perCaller: 1, perProcess: 9, waitMs: 1_000 });
  const started: string[] = [];
  const [a, b] = ['a', 'b'].map((name) => new Job(turns, started, name));
  a?.controller.abort();
  expect(started).toEqual(['a']);
  await a?.end();
  expect(started).toEqual(['a', 'b']);
  await b?.end();
});

it('refuses work that has waited too long, and passes the turn on to the next', async () => {
  vi.useFakeTimers();
  const turns = new CallerTurns({ perCaller: 1, perProcess: 9, waitMs: 1_000 });
  const started: string[] = [];
  const [a, b] = ['a', 'b'].map((name) => new Job(turns, started, name));
  vi.advanceTimersByTime(1);
  const c = new Job(turns, started, 'c');
  vi.advanceTimersByTime(999);
  await expect(b?.result).rejects.toMatchObject({ kind: 'rate-limited', code: 'TOO_MANY_REQUESTS' });
  await a?.end();
  expect(started).toEqual(['a', 'c']);
  await c.end();
  expectIdle(turns);
  expect(vi.getTimerCount()).toBe(0);
});
