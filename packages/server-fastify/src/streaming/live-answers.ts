import type { Clock, Ids, Logger, Owner, StreamPlace as Place, StreamStore } from '@halyard/contracts';
import type { LiveAnswerPolicy } from '@halyard/core';
import type { EventSource } from '../define/define-stream.ts';
import { shuttingDown } from '../errors/shutting-down.ts';
import { toFailure } from '../errors/to-failure.ts';
import { Idle } from '../lifecycle/idle.ts';
import type { Limits } from '../limits.ts';
import type { UiMessageChunk } from '../schemas/ui-message-chunk.ts';
import { AnswerFollower } from './answer-follower.ts';
import { AnswerTurns } from './answer-turns.ts';
import { AnswerWriter } from './answer-writer.ts';
import { OpenStreams } from './open-streams.ts';
import { Pulse } from './pulse.ts';

export interface LiveAnswersOptions {
  readonly store: StreamStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly leaseMs: number;
  readonly limits: Pick<Limits, 'streamsPerCaller' | 'streamsPerProcess' | 'pingMs' | 'liveAnswerWaitMs'>;
  readonly isDraining: () => boolean;
}

/** An answer that is to outlive its client. */
export interface NewAnswer extends Place {
  readonly userId: string | undefined;
  /** What it counts for, among those that a caller may have. */
  readonly callerKey: string;
  readonly policy: LiveAnswerPolicy;
}

/** An answer that has begun. */
export interface StartedAnswer {
  readonly source: EventSource<UiMessageChunk>;
  /** What stands before it for readers who come back, and whoever asked knows already: the message that it goes on with. */
  readonly before: readonly UiMessageChunk[];
}

/** How long who follows may still read an answer that has ended. */
const keptMs = 5 * 60_000;
const sweepEveryMs = 60_000;
const batchSize = 500;
/** How long answers that were stopped for the end of the process may take to say so. */
const lastWordsMs = 1_000;

/** The resumable answers of a server: those it gives, and those it follows, whoever gives them. */
export class LiveAnswers {
  readonly #options: LiveAnswersOptions;
  readonly #pulse = new Pulse();
  readonly #turns: AnswerTurns;
  /** Answers count like streams, also when nobody reads them. */
  readonly #seats: OpenStreams;
  readonly #writers = new Map<string, AnswerWriter>();
  readonly #idle = new Idle(() => this.#writers.size === 0);
  #sweep: NodeJS.Timeout | undefined;
  #lastEndAt = 0;

  constructor(options: LiveAnswersOptions) {
    this.#options = options;
    this.#seats = new OpenStreams(options.limits);
    this.#turns = new AnswerTurns({ ...options, pulse: this.#pulse, waitMs: options.limits.liveAnswerWaitMs });
  }

  /** How many are being given here. */
  get count(): number {
    return this.#writers.size;
  }

  /**
   * Begins an answer, which goes on without whoever asked for it, and follows it.
   *
   * @param start is called when it is its turn; what it throws is thrown here, and nothing has begun. What it gives has to end when the signal is aborted.
   * @throws what `AnswerTurns.take` throws; HalyardError `TOO_MANY_STREAMS`, `OVERLOADED`.
   */
  async open(
    { callerKey, policy, ...place }: NewAnswer,
    signal: AbortSignal,
    start: (signal: AbortSignal) => Promise<StartedAnswer>,
  ): Promise<EventSource<string>> {
    const id = this.#options.ids.next();
    const seat = this.#seats.enter(callerKey);
    try {
      await this.#turns.take({ id, ...place }, policy, signal);
    } catch (error) {
      seat.leave();
      throw error;
    }
    const writer = this.#write(id);
    const ended = (): void => {
      seat.leave();
      this.#leave(id);
    };
    try {
      const { before, source } = await start(writer.signal);
      void writer.carry(source, before).then(ended);
      return this.#follow(id, before.length);
    } catch (error) {
      const isStopped = writer.signal.aborted;
      await writer.end(...(isStopped ? [{ type: 'abort' } as const] : []));
      ended();
      if (!isStopped) throw error;
      return this.#follow(id);
    }
  }

  /** The answer that is being given, from its first chunk; undefined where there is none. */
  async find(owner: Owner, place: Place): Promise<EventSource<string> | undefined> {
    const live = await this.#options.store.findLive(owner, place);
    return live && this.#follow(live.id);
  }

  /** Has an answer stopped, whoever gives it. @returns whether there was one. */
  async stop(owner: Owner, place: Place): Promise<boolean> {
    return this.#options.store.requestStop(owner, place);
  }

  /** Waits for the answers that are being given here; after the grace they are stopped, and their readers told so. Resolves in any case. */
  async drain(graceMs: number): Promise<void> {
    clearTimeout(this.#sweep);
    const lastMs = Math.min(lastWordsMs, graceMs / 2);
    await this.#idle.within(graceMs - lastMs);
    const { message } = shuttingDown();
    for (const writer of this.#writers.values()) writer.stop(message);
    await this.#idle.within(lastWordsMs);
  }

  #write(id: string): AnswerWriter {
    const { logger } = this.#options;
    const describe = (error: unknown): string => {
      const failure = toFailure(error, id);
      if (failure.isOurs) logger.error({ err: error, streamId: id }, 'an answer failed');
      return failure.message;
    };
    const writer = new AnswerWriter(id, { ...this.#options, pulse: this.#pulse, describe });
    this.#writers.set(id, writer);
    return writer;
  }

  #follow(id: string, after = 0): AnswerFollower {
    return new AnswerFollower(id, after, { ...this.#options, pulse: this.#pulse });
  }

  #leave(id: string): void {
    this.#writers.delete(id);
    this.#lastEndAt = this.#options.clock.now();
    this.#idle.look();
    if (!this.#options.isDraining()) this.#sweepLater();
  }

  /** Each minute while there may be something to forget of what ended here; what other processes left is `Retention`'s. */
  #sweepLater(): void {
    this.#sweep ??= setTimeout(() => void this.#forgetOld(), sweepEveryMs).unref();
  }

  async #forgetOld(): Promise<void> {
    const { clock, isDraining, logger, store } = this.#options;
    try {
      while (!isDraining() && (await store.purge(keptMs, batchSize)) === batchSize);
    } catch (error) {
      logger.warn({ err: error }, 'answers that have ended could not be forgotten');
    }
    this.#sweep = undefined;
    if (!isDraining() && clock.now() < this.#lastEndAt + keptMs + sweepEveryMs) this.#sweepLater();
  }
}
