import {
  InvalidInputError,
  type JsonValue,
  type Owner,
  type WorkingMemoryKey,
  type WorkingMemoryStore,
} from '@halyard/contracts';

export interface NotesChange {
  readonly change: (stored: JsonValue | undefined) => JsonValue;
  /** A sentence about what is wrong with the outcome. A schema may take its time to say so. */
  readonly fault: (next: JsonValue) => string | undefined | Promise<string | undefined>;
}

/**
 * Changes notes to something that was checked as a whole. The check is part of the store's change, so that of changes at the same time none is lost and
 * none slips through.
 *
 * @returns whether it was written.
 * @throws InvalidInputError for an outcome with a fault; nothing is written.
 */
export async function changeNotes(
  store: WorkingMemoryStore,
  owner: Owner,
  key: WorkingMemoryKey,
  { change, fault }: NotesChange,
): Promise<boolean> {
  /** Of a schema that answers with a promise: what it said, by the text of the outcome. */
  const known = new Map<string, string | undefined>();
  for (;;) {
    try {
      return await store.update(owner, key, (stored) => {
        const next = change(stored);
        const text = JSON.stringify(next);
        const said = known.has(text) ? known.get(text) : fault(next);
        if (said instanceof Promise) throw new StillChecking(said.then((late) => void known.set(text, late)));
        if (said !== undefined) throw new InvalidInputError(said);
        return next;
      });
    } catch (error) {
      if (!(error instanceof StillChecking)) throw error;
      await error.checked;
    }
  }
}

/** The store waits for nobody: it is asked again when the check is done, and may then hold something else to be checked. */
class StillChecking extends Error {
  readonly checked: Promise<void>;

  constructor(checked: Promise<void>) {
    super('Still checking');
    this.checked = checked;
  }
}
