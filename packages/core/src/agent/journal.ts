import { type RunRests, restsWithin } from './run-rests.ts';

/**
 * Lets a caller record what a run asked the outside world, so that the same run can be continued without asking again.
 *
 * Keys are stable for one input: `run`, `answers`, `answers/tool/<toolCallId>`, `step-0/model`, `step-0/tool/<toolCallId>`; those of an agent that works for
 * this one follow the key of the call that asked it. Values are JSON. A failure of the model is not recorded; a tool that threw is (its error is what the
 * model saw). Recorded calls come through as events in one piece.
 */
export interface AgentJournal {
  /** What was recorded under `key`, else what `work` gives, which is recorded before it is returned. */
  record<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
  /** Present where a run may rest for an answer and be continued. */
  readonly rests?: RunRests;
}

export const noJournal: AgentJournal = { record: (_key, work) => work() };

/** The journal of an agent that works for another, in one of that other's calls. */
export function journalWithin(journal: AgentJournal, prefix: string): AgentJournal {
  if (journal === noJournal) return journal;
  return {
    record: (key, work) => journal.record(`${prefix}/${key}`, work),
    ...(journal.rests !== undefined && { rests: restsWithin(journal.rests, prefix) }),
  };
}
