import {
  approverKeys,
  asksPeople,
  type AwaitedEvent,
  requestIdOf,
  type Resumption,
  type SettledDecision,
  type Suspension,
  type Timer,
} from '@halyard/contracts';
import { fromText, toText } from '../../connection/text-codec.ts';

/**
 * Something that an execution waits for, or a resumption that its step has not used yet. The row of
 * the root has one list with the waits of the whole tree: a transaction that changes the list has
 * locked that row, and so sees its latest version.
 */
export interface StoredWait {
  readonly kind: 'suspension' | 'resumption' | 'timer';
  readonly path: string;
  /** The id of a suspension. */
  readonly id?: string;
  /** The execution that a suspension belongs to. */
  readonly execution?: string;
  /** The name and the key of the event that a suspension waits for: {@link toChannel}. */
  readonly channel?: string;
  /** Whether events of the execution's user resume a suspension that waits for an event, too. */
  readonly fromOwner?: true;
  /** The JSON of the id, and the time, of a suspension that waits for an event. */
  readonly idJson?: string;
  readonly at?: number;
  /** The id of the request that a suspension is, if it asks people: for webhooks. */
  readonly asks?: string;
  /** The keys of those who may respond to a suspension with rules. */
  readonly approverKeys?: readonly string[];
  /** How a person has answered, in a resumption: for webhooks. */
  readonly decision?: SettledDecision;
  /** JSON of the other fields. */
  readonly value: string;
}

/** A part of an execution that was rewound. */
export interface StoredRewind {
  readonly paths: readonly string[];
  readonly newKeys?: readonly string[];
  readonly seq: number;
}

export function suspensionWait({ path, ...suspension }: Suspension): StoredWait {
  return {
    kind: 'suspension',
    path: toText(path),
    id: toText(suspension.id),
    execution: toText(suspension.executionId),
    value: JSON.stringify(suspension),
    ...(asksPeople(suspension) && { asks: toText(requestIdOf(suspension)) }),
    ...(suspension.rules !== undefined && { approverKeys: approverKeys(suspension.rules) }),
    ...(suspension.event !== undefined && {
      channel: toChannel(suspension.event),
      ...(suspension.event.from === 'owner' && { fromOwner: true as const }),
      idJson: JSON.stringify(suspension.id),
      at: suspension.suspendedAt,
    }),
  };
}

/**
 * One text for the name and the key of an event. SQL functions find the executions that wait for it
 * by this text.
 */
export function toChannel({ key, name }: Pick<AwaitedEvent, 'key' | 'name'>): string {
  return JSON.stringify([name, key]);
}

export function resumptionWait({ path, ...resumption }: Resumption): StoredWait {
  return { kind: 'resumption', path: toText(path), value: JSON.stringify(resumption) };
}

export function timerWait({ path, ...timer }: Timer): StoredWait {
  return { kind: 'timer', path: toText(path), value: JSON.stringify(timer) };
}

/**
 * The pending suspensions, the earliest first. @param subtree the path of a sub-workflow, to get
 * those below it only.
 */
export function toSuspensions(waits: readonly StoredWait[], subtree?: string): readonly Suspension[] {
  const relevant = subtree === undefined ? waits : waits.filter(({ path }) => path.startsWith(`${subtree}/`));
  return listValues<Suspension>(relevant, 'suspension').toSorted((one, other) => one.suspendedAt - other.suspendedAt);
}

export function toResumptions(waits: readonly StoredWait[]): readonly Resumption[] {
  return listValues<Resumption>(waits, 'resumption');
}

export function toTimers(waits: readonly StoredWait[]): readonly Timer[] {
  return listValues<Timer>(waits, 'timer');
}

function listValues<Value>(waits: readonly StoredWait[], kind: StoredWait['kind']): readonly Value[] {
  return waits
    .filter((wait) => wait.kind === kind)
    .map(({ path, value }) => ({ path: fromText(path), ...(JSON.parse(value) as object) }) as Value);
}
