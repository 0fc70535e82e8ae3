import { expect, it } from 'vitest';
import { ElementScanner } from './element-scanner.ts';

const awkward = ['a', 'with ] and , and " and \\', { nested: [[1, 2], { elements: [3] }] }, [], null, -1.5e3, ''];

it.each([1, 2, 3, 7, 1000])('finds the elements in pieces of %i characters', (size) => {
  const text = JSON.stringify({ elements: awkward });

  expect(elementsIn(text, size)).toEqual(awkward);
  expect(elementsIn(JSON.stringify({ elements: awkward }, undefined, 2), size)).toEqual(awkward);
});

it('finds only the list of the outermost object', () => {
  expect(elementsIn('```json\n{"note":"elements","other":[1],"in":{"elements":[2]},"elements":[3,4]}\n```', 1)).toEqual(
    [3, 4],
  );
  expect(elementsIn('{"elements":[]}', 1)).toEqual([]);
  expect(elementsIn('[1,2]', 1)).toEqual([]);
});

it('does not return an element that may continue', () => {
  expect(elementsIn('{"elements":[1,23', 1)).toEqual([1]);
});

function elementsIn(text: string, size: number): unknown[] {
  const scanner = new ElementScanner();
  const found: unknown[] = [];
  for (let at = 0; at < text.length; at += size)
    found.push(...scanner.add(text.slice(at, at + size)).map((json): unknown => JSON.parse(json)));
  return found;
}
