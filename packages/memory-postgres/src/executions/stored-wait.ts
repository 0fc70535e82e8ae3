import type { Resumption, Suspension, Timer } from '@halyard/contracts';
import { toText } from '../connection/text-codec.ts';

/**
 * Something that an execution waits for, or an answer that its step has not used yet. All of them are in one list on the row of the root: whoever changes the
 * list holds the row, and sees the list as it was left.
 */
export interface StoredWait {
  readonly kind: 'suspension' | 'resumption' | 'timer';
  readonly path: string;
  /** Of a suspension. */
  readonly id?: string;
  /** The execution that a suspension is of. */
  readonly execution?: string;
  /** JSON of what else there is. */
  readonly value: string;
}

export function suspensionWait({ path, ...suspension }: Suspension): StoredWait {
  return {
    kind: 'suspension',
    path: toText(path),
    id: toText(suspension.id),
    execution: toText(suspension.executionId),
    value: JSON.stringify(suspension),
  };
}

export function resumptionWait({ path, ...resumption }: Resumption): StoredWait {
  return { kind: 'resumption', path: toText(path), value: JSON.stringify(resumption) };
}

export function timerWait({ path, ...timer }: Timer): StoredWait {
  return { kind: 'timer', path: toText(path), value: JSON.stringify(timer) };
}

export interface StoredRewind {
  readonly paths: readonly string[];
  readonly seq: number;
}
