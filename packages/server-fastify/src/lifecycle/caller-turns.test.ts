import { afterEach, expect, it, vi } from 'vitest';
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

it('runs the work of one caller in its order, a few pieces at the same time', async () => {
  const turns = new CallerTurns({ perCaller: 2, waitMs: 1_000 });
  const started: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Job(turns, started, name));
  expect(started).toEqual(['a', 'b']);
  expect(await b?.end('of b')).toBe('of b');
  expect(started).toEqual(['a', 'b', 'c']);
  await a?.fail(new Error('broken'));
  expect(started).toEqual(['a', 'b', 'c', 'd']);
  await Promise.all([c?.end(), d?.end()]);
  expect(turns.callers).toBe(0);
});

it('does not let the work of other callers wait', async () => {
  const turns = new CallerTurns({ perCaller: 1, waitMs: 1_000 });
  const started: string[] = [];
  const jobs = [new Job(turns, started, 'a1'), new Job(turns, started, 'a2'), new Job(turns, started, 'b1', 'ben')];
  expect(started).toEqual(['a1', 'b1']);
  expect(turns.callers).toBe(2);
  await Promise.all(jobs.map((job) => job.end()));
  expect(turns.callers).toBe(0);
});

it('never runs work whose signal is aborted before its turn', async () => {
  const turns = new CallerTurns({ perCaller: 1, waitMs: 1_000 });
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
  expect(turns.callers).toBe(0);
});

it('keeps the turn of work whose signal is aborted until the work has ended', async () => {
  const turns = new CallerTurns({ perCaller: 1, waitMs: 1_000 });
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
  const turns = new CallerTurns({ perCaller: 1, waitMs: 1_000 });
  const started: string[] = [];
  const [a, b] = ['a', 'b'].map((name) => new Job(turns, started, name));
  vi.advanceTimersByTime(1);
  const c = new Job(turns, started, 'c');
  vi.advanceTimersByTime(999);
  await expect(b?.result).rejects.toMatchObject({ kind: 'rate-limited', code: 'TOO_MANY_REQUESTS' });
  await a?.end();
  expect(started).toEqual(['a', 'c']);
  await c.end();
  expect(turns.callers).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
