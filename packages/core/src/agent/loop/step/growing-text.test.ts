import { expect, it } from 'vitest';
import { GrowingText } from './growing-text.ts';

it('is all deltas in their order, also halves of a character', () => {
  const growing = new GrowingText();
  expect(growing.toString()).toBe('');
  let plain = '';
  for (let at = 0; at < 3_000; at += 1) {
    const delta = at % 7 === 0 ? '\ud83e' : at % 7 === 1 ? '\udd86' : `${at} `;
    plain += delta;
    expect(growing.add(delta)).toBe(plain);
  }
  expect(growing.toString()).toBe(plain);
});
