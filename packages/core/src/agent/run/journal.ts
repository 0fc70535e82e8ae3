import { type RunSuspensions, suspensionsWithin } from './run-suspensions.ts';

/**
 * Lets a caller record what a run asked the outside world, so that the same run can be continued without asking again.
 *
 * Keys are stable for one input: `run`, `message` (the stored one that it goes on with), `answers`, `answers/tool/<toolCallId>`, `step-0/model`, `step-0/tool/<toolCallId>`; those of an agent that works for
 * this one follow the key of the call that asked it. Values are JSON. A failure of the model is not recorded; a tool that threw is (its error is what the
 * model saw). Recorded calls come through as events in one piece, unless they were told.
 */
export interface AgentJournal {
  /** What was recorded under `key`, else what `work` gives, which is recorded before it is returned. */
  record<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
  /** Whether clients and hooks heard of what is recorded under `key` when it happened: they hear of it no more. Absent: they do again. */
  isTold?(key: string): boolean;
  /** Whether nothing that the run does counts any more: it was taken over, or dropped. Absent: it always counts. */
  isOver?(): boolean;
  /** Present where a run may rest for an answer and be continued. */
  readonly rests?: RunSuspensions;
}

export const noJournal: AgentJournal = { record: (_key, work) => work() };

/** The journal of an agent that works for another, in one of that other's calls. */
export function journalWithin(journal: AgentJournal, prefix: string): AgentJournal {
  if (journal === noJournal) return journal;
  return {
    record: (key, work) => journal.record(`${prefix}/${key}`, work),
    isTold: (key) => journal.isTold?.(`${prefix}/${key}`) === true,
    ...(journal.rests !== undefined && { rests: suspensionsWithin(journal.rests, prefix) }),
  };
}
