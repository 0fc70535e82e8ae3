import { expect, it } from 'vitest';
import { CallerQueue } from './caller-queue.ts';

/** Work that notes its start, and ends when the test ends it. */
class Job {
  readonly controller = new AbortController();
  readonly #ended = Promise.withResolvers<string>();
  readonly result: Promise<string>;

  constructor(queue: CallerQueue, started: string[], name: string, caller = 'ada') {
    const work = (): Promise<string> => {
      started.push(name);
      return this.#ended.promise;
    };
    this.result = queue.run(caller, this.controller, work);
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
  const queue = new CallerQueue(2);
  const started: string[] = [];
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Job(queue, started, name));
  expect(started).toEqual(['a', 'b']);
  expect(await b?.end('of b')).toBe('of b');
  expect(started).toEqual(['a', 'b', 'c']);
  await a?.fail(new Error('broken'));
  expect(started).toEqual(['a', 'b', 'c', 'd']);
  await Promise.all([c?.end(), d?.end()]);
  expect(queue.callers).toBe(0);
});

it('does not let the work of other callers wait', async () => {
  const queue = new CallerQueue(1);
  const started: string[] = [];
  const jobs = [new Job(queue, started, 'a1'), new Job(queue, started, 'a2'), new Job(queue, started, 'b1', 'ben')];
  expect(started).toEqual(['a1', 'b1']);
  await Promise.all(jobs.map((job) => job.end()));
  expect(started).toEqual(['a1', 'b1', 'a2']);
  expect(queue.callers).toBe(0);
});

it('never runs work whose signal is aborted before it starts', async () => {
  const queue = new CallerQueue(1);
  const started: string[] = [];
  const [a, b, c] = ['a', 'b', 'c'].map((name) => new Job(queue, started, name));
  const left = new Error('left');
  b?.controller.abort(left);
  await expect(b?.result).rejects.toBe(left);
  const aborted = queue.run('ada', { signal: AbortSignal.abort(left) }, () => started.push('aborted'));
  await expect(aborted).rejects.toBe(left);
  await a?.end();
  expect(started).toEqual(['a', 'c']);
  await c?.end();
  expect(queue.callers).toBe(0);
});

it('lets the next work wait until work whose signal is aborted has ended', async () => {
  const queue = new CallerQueue(1);
  const started: string[] = [];
  const [a, b] = ['a', 'b'].map((name) => new Job(queue, started, name));
  a?.controller.abort();
  expect(started).toEqual(['a']);
  await a?.end();
  expect(started).toEqual(['a', 'b']);
  await b?.end();
});
