import { memoryUsage } from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { cutText } from '@halyard/contracts';
import { expect, it } from 'vitest';
import { embeddableText } from '../memory/recall/message-text.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { boundedText } from './attributes/bounded-json.ts';

const length = 2_000_000;
const schema = compileSchema({ type: 'object', additionalProperties: false }, 'a schema');

it.each<readonly [string, (text: string) => unknown]>([
  ['the beginning of a text', (text) => cutText(text, 100)],
  ['the attribute of a large text', (text) => boundedText(text)],
  ['the attribute of a file', (text) => boundedText(`data:application/octet-stream;base64,${text}`)],
  ['the embedded text of a message', (text) => embeddableText(text)],
  ['a validation error that names a property', (text) => schema.validate({ [text]: 1 }, 'input')],
])('%s does not retain the text that it is cut from', (_name, cut) => {
  const count = 5;
  collectGarbage();
  const before = usedMemory();
  const kept = Array.from({ length: count }, (_item, index) => cut(`${index}${'x'.repeat(length)}`));
  collectGarbage();
  expect(usedMemory() - before).toBeLessThan((count * length) / 4);
  expect(kept).toHaveLength(count);
});

/** Large texts may be outside of the heap. */
function usedMemory(): number {
  const { external, heapUsed } = memoryUsage();
  return heapUsed + external;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // V8 keeps the names of properties for one collection longer.
  collect();
}
