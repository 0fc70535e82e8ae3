import { HalyardError } from '@halyard/contracts';
import type { ObjectEvent } from '@halyard/core';
import type { EventBatches } from '../../define/define-stream.ts';

/**
 * The JSON text of an object while it is generated.
 *
 * @throws HalyardError when no object is generated, or when the model corrects text that was
 * already sent
 */
export async function* toJsonText(batches: EventBatches<ObjectEvent>): AsyncGenerator<string> {
  let sent = '';
  for await (const batch of batches) {
    for (const event of batch) {
      if (event.type === 'error') throw runFailed(event.error);
      const json = JSON.stringify(event.object);
      const text = event.type === 'object' ? json : certainStart(json);
      if (text.startsWith(sent)) {
        if (text.length > sent.length) yield text.slice(sent.length);
        sent = text;
      } else if (event.type === 'object') throw runFailed('The object differs from the partial one that was sent');
    }
  }
}

/**
 * The JSON of a partial object up to where later text may continue it: without closing brackets,
 * and without an unfinished string's end, number or character.
 */
function certainStart(json: string): string {
  const open = json.replace(/[\]}]+$/, '');
  return open.endsWith('"')
    ? open.slice(0, -1).replace(/\\ud[89ab][\da-f]{2}$/, '')
    : open.replace(/-?\d[\d.e+-]*$/, '');
}

function runFailed(message: string): HalyardError {
  return new HalyardError('failed', 'RUN_FAILED', message);
}
