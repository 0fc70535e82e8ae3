import { Idle } from './idle.ts';

/** A request that is being answered. */
export interface RunningCall {
  /** What it waits for goes on without it. */
  readonly detaches: boolean;
  /** The server waits no longer: end now. */
  giveUp(): void;
}

/** How long calls that were given up may take to say so. */
const lastWordsMs = 1_000;

/**
 * A place among what runs. Emptied when it is left: the set keeps what was in it longer than one would think (see
 * `TransientMap` in core), and on a call hangs a whole request.
 */
export class WorkPlace {
  call: RunningCall | undefined;

  constructor(call: RunningCall) {
    this.call = call;
  }
}

/** Everything a server is doing, so that it can stop without breaking off what nearly is done. */
export class RunningWork {
  readonly #places = new Set<WorkPlace>();
  #isDraining = false;
  readonly #idle = new Idle(() => this.#places.size === 0);

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get count(): number {
    return this.#places.size;
  }

  /** From now on requests are refused. */
  startDraining(): void {
    this.#isDraining = true;
  }

  enter(call: RunningCall): WorkPlace {
    const place = new WorkPlace(call);
    this.#places.add(place);
    return place;
  }

  leave(place: WorkPlace): void {
    place.call = undefined;
    this.#places.delete(place);
    this.#idle.look();
  }

  /** Waits for what runs; after the grace it is given up. Resolves in any case. */
  async drain(graceMs: number): Promise<void> {
    this.startDraining();
    await this.#idle.within(graceMs);
    for (const { call } of this.#places) call?.giveUp();
    await this.#idle.within(lastWordsMs);
  }

  /** What they wait for has stopped here: nothing will come of it any more. */
  giveUpDetached(): void {
    for (const { call } of this.#places) if (call?.detaches === true) call.giveUp();
  }
}
