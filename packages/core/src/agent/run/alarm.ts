import { AsyncLocalStorage } from 'node:async_hooks';

/** Who waits for an alarm, in the line of those who do. All but `wake` is the alarm's. */
export interface Sleeper {
  wakesAt: number;
  before: Sleeper | undefined;
  behind: Sleeper | undefined;
  wake(): void;
}

/** The timer is nobody's: what it does is not to count to the request that set it. */
const outsideOfRequests = AsyncLocalStorage.snapshot();
const alarms = new Map<number, Alarm>();

function sinceStart(): number {
  // oxlint-disable-next-line halyard/no-wall-clock -- timers do not go by the time of day either
  return performance.now();
}

/** The alarm of all who wait so long. */
export function alarmAfter(waitMs: number): Alarm {
  const alarm = alarms.get(waitMs);
  // Tests put timers of their own in the place of the others, and take them away again: what one of them has set may never fire.
  if (alarm?.setTimer === setTimeout) return alarm;
  const another = new Alarm(waitMs);
  alarms.set(waitMs, another);
  return another;
}

/**
 * One timer for all who wait equally long, and so are woken in the order in which they came: one for each, cleared before it fires, costs several times as much.
 * When nobody waits any more the timer stays for those to come, but keeps no process; it goes when it fires for nobody.
 */
export class Alarm {
  readonly setTimer: typeof setTimeout = setTimeout;
  readonly #waitMs: number;
  #first: Sleeper | undefined;
  #last: Sleeper | undefined;
  #timer: NodeJS.Timeout | undefined;
  #ringsAt = 0;

  constructor(waitMs: number) {
    this.#waitMs = waitMs;
  }

  /** Wakes it once, unless it leaves before. */
  set(sleeper: Sleeper): void {
    sleeper.wakesAt = sinceStart() + this.#waitMs;
    sleeper.before = this.#last;
    if (this.#last === undefined) this.#first = sleeper;
    else this.#last.behind = sleeper;
    this.#last = sleeper;
    if (this.#timer === undefined) this.#ringAt(sleeper.wakesAt, this.#waitMs);
    else if (this.#first === sleeper) this.#timer.ref();
  }

  /** One that waits is not woken. */
  leave(sleeper: Sleeper): void {
    const { before, behind } = sleeper;
    if (before === undefined) this.#first = behind;
    else before.behind = behind;
    if (behind === undefined) this.#last = before;
    else behind.before = before;
    sleeper.before = undefined;
    sleeper.behind = undefined;
    if (this.#first === undefined) this.#timer?.unref();
  }

  #ringAt(time: number, waitMs: number): void {
    this.#timer = outsideOfRequests(this.setTimer, () => this.#ring(), waitMs);
    this.#ringsAt = time;
  }

  #ring(): void {
    for (let next = this.#first; next !== undefined && next.wakesAt <= this.#ringsAt; next = this.#first) {
      this.leave(next);
      next.wake();
    }
    this.#timer = undefined;
    if (this.#first === undefined) {
      if (alarms.get(this.#waitMs) === this) alarms.delete(this.#waitMs);
    } else this.#ringAt(this.#first.wakesAt, Math.max(0, this.#first.wakesAt - sinceStart()));
  }
}
