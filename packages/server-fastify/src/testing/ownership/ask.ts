import type { OwnedRequest } from './request.ts';
import type { Kind, Thing } from './things.ts';

/** One way in which a route can be asked about something that is somebody's. */
export interface Ask {
  readonly route: string;
  /** What is asked about. */
  readonly thing: Kind;
  /** The fields that name it. */
  readonly by: readonly string[];
  readonly request: (thing: Thing) => OwnedRequest;
  /** What its owner is answered. */
  readonly own: number;
  /** What others are answered: the same, byte by byte, as about a thing that is not there, unless they are told that the id is in use. */
  readonly others: number;
  readonly isToldInUse?: true;
  /** Where nobody is verified and nobody is named; default as the owner. */
  readonly anonymous?: number;
}
