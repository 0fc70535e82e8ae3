import { parsePartial } from '../../model/parse-partial.ts';
import type { AgentEvent } from '../agent-event.ts';
import type { PartialEvent } from './object-stream.ts';

/**
 * A text is parsed again only after it grew by this share, so that the cost of long objects is n
 * log n.
 */
const growth = 1 / 32;

/** The object as far as the text of the current step describes it. */
export async function* partialObjects(batches: AsyncIterable<readonly AgentEvent[]>): AsyncGenerator<PartialEvent> {
  let text = '';
  let parsedLength = 0;
  let lastJson = '';
  for await (const batch of batches) {
    for (const event of batch) {
      if (event.agentId !== undefined) continue;
      if (event.type === 'start-step') [text, parsedLength] = ['', 0];
      if (event.type === 'text-delta') text += event.delta;
    }
    if (text.length - parsedLength <= parsedLength * growth) continue;
    parsedLength = text.length;
    const value = await parsePartial(text);
    if (typeof value !== 'object' || value === null) continue;
    const json = JSON.stringify(value);
    if (json === lastJson) continue;
    lastJson = json;
    yield { type: 'partial', object: value };
  }
}
