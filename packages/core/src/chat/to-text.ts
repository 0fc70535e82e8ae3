import { AbortedError, HalyardError } from '@halyard/contracts';
import type { AgentEvent } from '../agent/agent-event.ts';

/**
 * The text of an agent, without that of its sub-agents. A blank line separates the texts of two
 * steps, as in `POST /agents/:id/text`.
 *
 * @throws HalyardError when the run fails or is aborted
 */
export async function* toText(batches: AsyncIterable<readonly AgentEvent[]>): AsyncGenerator<string> {
  const convert = textConverter();
  for await (const batch of batches) {
    const text = convert(batch);
    if (text !== '') yield text;
  }
}

/** Converts the events of one run, batch by batch, as {@link toText} does. */
export function textConverter(): (batch: readonly AgentEvent[]) => string {
  let isSeparate = false;
  let hasText = false;
  return (batch) => {
    let text = '';
    for (const event of batch) {
      if (event.agentId !== undefined) continue;
      if (event.type === 'error') throw new HalyardError('failed', 'RUN_FAILED', event.error);
      if (event.type === 'abort') throw new AbortedError();
      if (event.type === 'start-step') isSeparate = hasText;
      if (event.type !== 'text-delta' || event.delta === '') continue;
      text += isSeparate ? `\n\n${event.delta}` : event.delta;
      [isSeparate, hasText] = [false, true];
    }
    return text;
  };
}
