import { relative, resolve } from 'node:path';
import { TestRunner, vi } from 'vitest';
import { startTests } from 'vitest/internal/browser';
import { type RunReply, type RunRequest, openChannel, testId } from './session-messages.ts';

type File = Awaited<ReturnType<typeof startTests>>[number];
type Task = File['tasks'][number];
type Test = Extract<Task, { readonly type: 'test' }>;

/**
 * How Stryker's changed code communicates: it reads which change is active, and counts what runs.
 */
interface StrykerState {
  activeMutant?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  currentTestId?: string | undefined;
  mutantCoverage?: unknown;
}

// oxlint-disable-next-line eslint/no-underscore-dangle -- the name is Stryker's
const stryker: StrykerState = ((globalThis as { __stryker__?: StrykerState }).__stryker__ ??= {});

/** A change that makes a test wait forever costs this long. */
const endlessMs = 5_000;

/** What Vitest sets on a runner. */
interface Injected {
  readonly moduleRunner: unknown;
  readonly _otel: Parameters<TestRunner['__setTraces']>[0];
}

/**
 * Stays in its thread after the first file and runs the tests that the main thread requests. Code
 * is loaded once, so that one change costs milliseconds instead of the seconds that a new process
 * needs to load all packages.
 */
export default class SessionWorker extends TestRunner {
  // oxlint-disable-next-line typescript/no-misused-promises -- Vitest waits for it
  override async onAfterRunFiles(files: File[]): Promise<void> {
    super.onAfterRunFiles(files);
    const ended = Promise.withResolvers<void>();
    const channel = openChannel((message) => {
      if (message.type === 'end') ended.resolve();
      if (message.type === 'run')
        void this.#run(message.request).then((reply) => channel.post({ type: 'reply', reply }));
    });
    channel.post({ type: 'ready' });
    await ended.promise;
    channel.close();
  }

  async #run({ hitLimit, mutantId, specs }: RunRequest): Promise<RunReply> {
    Object.assign(stryker, { activeMutant: undefined, hitCount: 0, hitLimit });
    const timeoutMs = mutantId === undefined ? 60_000 : endlessMs;
    Object.assign(this.config, { testTimeout: timeoutMs, hookTimeout: timeoutMs });
    const loaded: File[] = [];
    let error: string | undefined;
    for (const spec of specs) {
      const runner = this.#runnerOf(mutantId);
      try {
        loaded.push(...(await startTests([specOf(spec)], runner)));
      } catch (thrown) {
        error = String(thrown);
      }
      stryker.activeMutant = undefined;
      vi.useRealTimers();
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
      vi.unstubAllEnvs();
      if (mutantId !== undefined && loaded.some(hasFailed)) break;
    }
    return {
      outcomes: loaded.flatMap(outcomesOf),
      isHitLimitReached: hitLimit !== undefined && (stryker.hitCount ?? 0) > hitLimit,
      ...(error !== undefined && { error }),
      ...(mutantId === undefined && { coverage: stryker.mutantCoverage }),
    };
  }

  /** A runner that reports nothing to Vitest, and ends with the first failure of a changed code. */
  #runnerOf(mutantId: string | undefined): TestRunner {
    const runner = new QuietRunner(this.config, mutantId);
    const { _otel, moduleRunner } = this as unknown as Injected;
    Object.defineProperty(runner, 'moduleRunner', { value: moduleRunner });
    // oxlint-disable-next-line eslint/no-underscore-dangle -- the name is Vitest's
    runner.__setTraces(_otel);
    return runner;
  }
}

class QuietRunner extends TestRunner {
  readonly #mutantId: string | undefined;

  constructor(config: TestRunner['config'], mutantId: string | undefined) {
    super(config);
    this.#mutantId = mutantId;
  }

  /** The tests are loaded before: the change is active only while they run. */
  onBeforeRunFiles(): void {
    stryker.activeMutant = this.#mutantId;
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    stryker.currentTestId = testId({ file: nameOfFile(test.file), name: test.fullTestName });
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    stryker.currentTestId = undefined;
    if (test.result?.state === 'fail' && this.#mutantId !== undefined) super.cancel('test-failure');
  }
}

type Spec = Exclude<Parameters<typeof startTests>[0][number], string>;

function specOf({ file, names }: RunRequest['specs'][number]): Spec {
  return { filepath: resolve(file), testLocations: undefined, ...(names && { testNames: [...names] }) };
}

const nameOfFile = ({ filepath }: File): string => relative(process.cwd(), filepath);

function outcomesOf(file: File): RunReply['outcomes'] {
  const failure = messageOf(file);
  const outcomes = testsOf(file).map((test) => ({
    file: nameOfFile(file),
    name: test.fullTestName,
    durationMs: test.result?.duration ?? 0,
    state: stateOf(test),
    ...(messageOf(test) !== undefined && { message: messageOf(test) }),
  }));
  return failure === undefined
    ? outcomes
    : [...outcomes, { file: nameOfFile(file), name: '', durationMs: 0, state: 'failed', message: failure }];
}

function stateOf({ mode, result, suite }: Test): 'passed' | 'failed' | 'skipped' {
  if (result?.state === 'pass') return 'passed';
  if (result?.state === 'fail' || suite?.result?.state === 'fail') return 'failed';
  return mode === 'run' && result === undefined ? 'failed' : 'skipped';
}

const messageOf = ({ result }: Task | File): string | undefined => result?.errors?.[0]?.message;

function testsOf(suite: { readonly tasks: readonly Task[] }): readonly Test[] {
  return suite.tasks.flatMap((task) => (task.type === 'suite' ? testsOf(task) : [task]));
}

function hasFailed(file: File): boolean {
  return file.result?.state === 'fail' || testsOf(file).some((test) => stateOf(test) === 'failed');
}
