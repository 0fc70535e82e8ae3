import { expect, it } from 'vitest';
import { throwIfAborted } from './throw-if-aborted.ts';

it('throws the reason of a signal that is aborted', () => {
  const reason = new Error('left');
  expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrow(reason);
  expect(() => throwIfAborted(new AbortController().signal)).not.toThrow();
  expect(() => throwIfAborted(undefined)).not.toThrow();
});

it('throws an abort error for a signal without reasons, as in React Native', () => {
  const signal = { aborted: true } as AbortSignal;
  expect(() => throwIfAborted(signal)).toThrow(expect.objectContaining({ name: 'AbortError' }));
});
