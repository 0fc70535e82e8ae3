import type { Job } from '@halyard/contracts';
import { type ObjectContext, RestatePromise } from '@restatedev/restate-sdk';
import { expect, it } from 'vitest';
import { Deliveries } from '../deliveries.ts';
import { IngressClient } from '../ingress-client.ts';
import { Watches } from '../watches.ts';
import { RunnerObject } from './runner-object.ts';

/** A journal of Restate, from which each attempt reads what the attempts before it have recorded. */
class Journal {
  readonly #results: Promise<unknown>[] = [];

  /** @param commands what the attempt asks for. */
  attempt(commands: string[]): ObjectContext {
    const signal = new AbortController().signal;
    const context: object = {
      key: 'one',
      request: () => ({ attemptCompletedSignal: signal }),
      awakeable: () => ({ id: 'awakeable', promise: RestatePromise.resolve(new Promise(() => {})) }),
      genericSend: (call: { readonly method: string; readonly delay?: number }) => {
        commands.push(`send ${call.method}`);
      },
      run: (name: string, action: () => unknown) => {
        const index = commands.push(name) - 1;
        this.#results[index] ??= Promise.resolve(action()).then((result) => JSON.parse(JSON.stringify(result)));
        return RestatePromise.resolve(this.#results[index]);
      },
    };
    return context as ObjectContext;
  }
}

function openRunner(isFull: () => boolean): { readonly runner: RunnerObject; readonly jobs: readonly Job[] } {
  const client = new IngressClient('http://127.0.0.1:1');
  const deliveries = new Deliveries(client, new Watches(client));
  const jobs: Job[] = [];
  deliveries.start({
    maxClaims: 8,
    get isFull() {
      return isFull();
    },
    run: async (job) => {
      jobs.push(job);
      return 'released';
    },
    quarantine: async () => {},
  });
  return { runner: new RunnerObject(deliveries), jobs };
}

const input = { ticket: 1, workflowId: 'order' };

it('asks for the same in an attempt after the end, which Restate makes if its reply was not confirmed', async () => {
  const { jobs, runner } = openRunner(() => false);
  const journal = new Journal();
  const [first, second]: [string[], string[]] = [[], []];
  await runner.run(journal.attempt(first), input);
  await runner.run(journal.attempt(second), input);
  expect(second).toEqual(first);
  expect(jobs).toEqual([{ executionId: 'one', workflowId: 'order' }]);
});

it('puts a run off as the attempt before has recorded, though a slot is free now', async () => {
  let isFull = true;
  const { jobs, runner } = openRunner(() => isFull);
  const journal = new Journal();
  const [first, second]: [string[], string[]] = [[], []];
  await runner.run(journal.attempt(first), input);
  isFull = false;
  await runner.run(journal.attempt(second), input);
  expect(first).toEqual(['attempt', 'send run']);
  expect(second).toEqual(first);
  expect(jobs).toEqual([]);
});
