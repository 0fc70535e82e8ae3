import { resolve } from 'node:path';
import { createVitest, type Vitest } from 'vitest/node';
import {
  openChannel,
  type RunReply,
  type RunRequest,
  type SessionChannel,
  testId,
  type TestOutcome,
} from './session-messages.ts';

interface MutantRun {
  readonly activeMutant: { readonly id: string };
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
}

/**
 * Runs tests in one thread that keeps all code loaded. A thread that a change has damaged is
 * replaced.
 */
class Session {
  readonly #ready = Promise.withResolvers<void>();
  #onReply: (reply: RunReply) => void = () => {};
  readonly #channel: SessionChannel = openChannel((message) => {
    if (message.type === 'ready') this.#ready.resolve();
    if (message.type === 'reply') this.#onReply(message.reply);
  });
  #vitest: Vitest | undefined;

  async open(): Promise<void> {
    this.#vitest = await createVitest({
      config: resolve('tools/mutation/vitest.config.ts'),
      pool: 'threads',
      isolate: false,
      maxWorkers: 1,
      watch: false,
      onConsoleLog: () => false,
      onUnhandledError: () => false,
      reporters: [{}],
    });
    void this.#vitest.start();
    await this.#ready.promise;
  }

  run(request: RunRequest): Promise<RunReply> {
    const replied = Promise.withResolvers<RunReply>();
    this.#onReply = replied.resolve;
    this.#channel.post({ type: 'run', request });
    return replied.promise;
  }

  async close(): Promise<void> {
    this.#channel.post({ type: 'end' });
    this.#channel.close();
    await this.#vitest?.close();
  }
}

/** The test runner for Stryker. */
class SessionRunner {
  #session: Session | undefined;
  /** How long each test took without a change. */
  readonly #durations = new Map<string, number>();
  /** How many changes each file has noticed. */
  readonly #noticed = new Map<string, number>();

  capabilities(): { readonly reloadEnvironment: boolean } {
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<unknown> {
    const { coverage, error, outcomes } = await this.#run({ specs: testFiles().map((file) => ({ file })) });
    for (const outcome of outcomes) this.#durations.set(testId(outcome), outcome.durationMs);
    if (error !== undefined) return { status: 'error', errorMessage: error };
    return { status: 'complete', tests: outcomes.map(toTestResult), mutantCoverage: coverage };
  }

  async mutantRun({ activeMutant, hitLimit, testFilter = [] }: MutantRun): Promise<unknown> {
    const request: RunRequest = {
      specs: this.#toSpecs(testFilter),
      mutantId: activeMutant.id,
      ...(hitLimit !== undefined && { hitLimit }),
    };
    let reply = await this.#run(request);
    // Did the change fail the test, or one before it, which has damaged the thread?
    if (failureIn(reply) !== undefined && !(await this.#isIntact(reply))) {
      await this.dispose();
      reply = await this.#run(request);
      await this.dispose();
    }
    if (reply.isHitLimitReached) return { status: 'timeout' };
    const failure = failureIn(reply);
    if (failure !== undefined) this.#noticed.set(failure.file, this.#noticedBy(failure.file) + 1);
    const nrOfTests = reply.outcomes.filter(({ state }) => state !== 'skipped').length;
    return failure === undefined
      ? { status: 'survived', nrOfTests }
      : { status: 'killed', nrOfTests, killedBy: [testId(failure)], failureMessage: failure.message ?? '' };
  }

  async dispose(): Promise<void> {
    await this.#session?.close();
    this.#session = undefined;
  }

  #noticedBy(file: string): number {
    return this.#noticed.get(file) ?? 0;
  }

  /** The files first that notice most in the time that they take: the first failure ends a run. */
  #toSpecs(ids: readonly string[]): RunRequest['specs'] {
    const durationOf = (some: readonly string[]): number =>
      some.reduce((sum, id) => sum + (this.#durations.get(id) ?? 0), 0);
    const rank = ([file, some]: [string, string[]]): number => (this.#noticedBy(file) + 1) / (durationOf(some) + 1);
    return [...Map.groupBy(ids, (id) => id.slice(0, id.indexOf('#')))]
      .toSorted((one, other) => rank(other) - rank(one))
      .map(([file, some]) => ({ file, names: some.map((id) => id.slice(file.length + 1)) }));
  }

  async #run(request: RunRequest): Promise<RunReply> {
    if (this.#session === undefined) {
      this.#session = new Session();
      await this.#session.open();
    }
    return this.#session.run(request);
  }

  async #isIntact(reply: RunReply): Promise<boolean> {
    const failure = failureIn(reply);
    const again = await this.#run({
      specs: failure === undefined ? [] : [{ file: failure.file, names: [failure.name] }],
    });
    return failureIn(again) === undefined;
  }
}

/** The files of the part, as `run-mutation.ts` passes them. */
function testFiles(): readonly string[] {
  return JSON.parse(process.env['MUTATION_TESTS'] ?? '[]') as readonly string[];
}

function failureIn({ outcomes }: RunReply): TestOutcome | undefined {
  return outcomes.find(({ state }) => state === 'failed');
}

const statuses = { passed: 0, failed: 1, skipped: 2 };

function toTestResult(outcome: TestOutcome): object {
  const { durationMs, file, message, name, state } = outcome;
  return {
    id: testId(outcome),
    name,
    fileName: resolve(file),
    timeSpentMs: durationMs,
    status: statuses[state],
    ...(state === 'failed' && { failureMessage: message ?? 'unknown' }),
  };
}

const factory = Object.assign(() => new SessionRunner(), { inject: [] });

export const strykerPlugins = [{ kind: 'TestRunner', name: 'session', factory }];
