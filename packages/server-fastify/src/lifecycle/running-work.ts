import { shuttingDown } from '../errors/shutting-down.ts';
import { Idle } from './idle.ts';

/** A request that is being answered. */
export interface RunningCall {
  /** What it waits for goes on without it. */
  readonly detaches: boolean;
  /** Aborts its signal. */
  abort(reason: Error): void;
}

/** How long aborted calls may take to answer. */
const afterAbortMs = 1_000;

/** A place among what runs. One that is left is empty, and taken again: there are as many as requests were ever answered at once. */
export class WorkPlace {
  call: RunningCall | undefined = undefined;
  /** The next of those that are empty. */
  nextEmpty: WorkPlace | undefined = undefined;
}

/** Everything a server is doing, so that it can stop without breaking off what nearly is done. */
export class RunningWork {
  readonly #places: WorkPlace[] = [];
  #empty: WorkPlace | undefined = undefined;
  #count = 0;
  #isDraining = false;
  readonly #idle = new Idle(() => this.#count === 0);

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get count(): number {
    return this.#count;
  }

  /** From now on requests are refused. */
  startDraining(): void {
    this.#isDraining = true;
  }

  enter(call: RunningCall): WorkPlace {
    const place = this.#empty ?? this.#newPlace();
    this.#empty = place.nextEmpty;
    place.call = call;
    this.#count += 1;
    return place;
  }

  leave(place: WorkPlace): void {
    place.call = undefined;
    place.nextEmpty = this.#empty;
    this.#empty = place;
    this.#count -= 1;
    this.#idle.look();
  }

  /** Waits for running calls; those that outlast the grace are aborted. Never rejects. */
  async drain(graceMs: number): Promise<void> {
    this.startDraining();
    await this.#idle.within(graceMs);
    for (const { call } of this.#places) call?.abort(shuttingDown());
    await this.#idle.within(afterAbortMs);
  }

  /** Aborts the calls that wait for workflows: those have stopped here. */
  abortDetached(): void {
    for (const { call } of this.#places) if (call?.detaches === true) call.abort(shuttingDown());
  }

  #newPlace(): WorkPlace {
    const place = new WorkPlace();
    this.#places.push(place);
    return place;
  }
}
