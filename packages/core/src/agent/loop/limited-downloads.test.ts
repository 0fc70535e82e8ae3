import { expect, it } from 'vitest';
import { limitedDownloads } from './limited-downloads.ts';

const megabyte = 1024 * 1024;
const fileOf = (bytes: number) => ({ data: new Uint8Array(bytes) });
const tooLarge = {
  code: 'FILE_NOT_ACCEPTED',
  kind: 'invalid-input',
  message: 'The files are not accepted: they have more than 50 MB together',
};

it('accepts 50 MB together, not one byte more, and downloads nothing after that', async () => {
  const fetched: string[] = [];
  const download = limitedDownloads(async (url) => {
    fetched.push(url);
    return fileOf(url === 'large' ? 50 * megabyte : Number(url));
  });

  expect((await download('large')).data).toHaveLength(50 * megabyte);
  expect((await download('0')).data).toHaveLength(0);
  await expect(download('1')).rejects.toMatchObject(tooLarge);
  await expect(download('2')).rejects.toMatchObject(tooLarge);
  expect(fetched).toEqual(['large', '0', '1']);
});

it('gives the place of a download that has ended, well or not, to the one that waits longest', async () => {
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const download = limitedDownloads(async (url) => {
    started.push(url);
    const end = Promise.withResolvers<void>();
    ends.set(url, end);
    await end.promise;
    return { ...fileOf(1), url };
  });
  const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((url) => download(url));
  const settled = Promise.allSettled(all);

  expect(started).toEqual(['a', 'b', 'c', 'd']);
  ends.get('b')?.resolve();
  expect((await all[1])?.url).toBe('b');
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e']);
  ends.get('a')?.reject(new Error('away'));
  await expect(all[0]).rejects.toThrow('away');
  expect(started).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  for (const url of ['c', 'd', 'e', 'f', 'g']) {
    ends.get(url)?.resolve();
    await all[[...'abcdefg'].indexOf(url)];
  }
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', ...Array<string>(6).fill('fulfilled')]);
  // All four places are free again.
  const more = ['h', 'i', 'j', 'k', 'l'].map((url) => download(url));
  expect(started.slice(7)).toEqual(['h', 'i', 'j', 'k']);
  ends.get('h')?.resolve();
  await more[0];
  expect(started.slice(7)).toEqual(['h', 'i', 'j', 'k', 'l']);
  for (const url of ['i', 'j', 'k', 'l']) ends.get(url)?.resolve();
  await Promise.all(more);
});
