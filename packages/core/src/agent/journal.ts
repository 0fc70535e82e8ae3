/**
 * Lets a caller record what a run asked the outside world, so that the same run can be continued without asking again.
 *
 * Keys are stable for one input: `run`, `answers`, `answers/tool/<toolCallId>`, `step-0/model`, `step-0/tool/<toolCallId>`. Values are JSON. A failure of the model is not
 * recorded; a tool that threw is (its error is what the model saw). Recorded calls come through as events in one piece.
 */
export interface AgentJournal {
  /** What was recorded under `key`, else what `work` gives, which is recorded before it is returned. */
  record<Value>(key: string, work: () => Promise<Value>): Promise<Value>;
}

export const noJournal: AgentJournal = { record: (_key, work) => work() };
