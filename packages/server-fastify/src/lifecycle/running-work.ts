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

  #newPlace(): WorkPlace {
    const place = new WorkPlace();
    this.#places.push(place);
    return place;
  }
}
