import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { abortable } from './abortable.ts';

it('settles as the work does, and leaves no listener', async () => {
  const { signal } = new AbortController();

  expect(await abortable(Promise.resolve(1), signal)).toBe(1);
  await expect(abortable(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  expect(await abortable(Promise.resolve(2), undefined)).toBe(2);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

it('rejects with the reason of the signal, whether it aborts later or has aborted before', async () => {
  const controller = new AbortController();
  const waiting = abortable(new Promise(() => {}), controller.signal);

  controller.abort(new Error('stop'));

  await expect(waiting).rejects.toThrow('stop');
  await expect(abortable(Promise.reject(new Error('late')), controller.signal)).rejects.toThrow('stop');
});

it('rejects with the reason of the signal when the work rejects because of it', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const work = new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
  const waiting = abortable(work, signal);

  controller.abort(new Error('too late'));

  await expect(waiting).rejects.toThrow('too late');
});
