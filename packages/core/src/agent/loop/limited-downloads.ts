import { InvalidInputError } from '@halyard/contracts';

type Download<Result> = (url: string) => Promise<Result>;

const atOnce = 4;
const megabyte = 1024 * 1024;
const maxBytes = 50 * megabyte;

/**
 * Downloads the files of a run, four at the same time and 50 MiB together: a request may name
 * thousands of files.
 *
 * @throws InvalidInputError with code `FILE_NOT_ACCEPTED` when they are larger.
 */
export function limitedDownloads<Result extends { readonly data: Uint8Array }>(
  download: Download<Result>,
): Download<Result> {
  const waiting: (() => void)[] = [];
  let running = 0;
  let bytes = 0;
  return async (url) => {
    if (running === atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      if (bytes > maxBytes) throw tooLarge();
      const file = await download(url);
      bytes += file.data.length;
      if (bytes > maxBytes) throw tooLarge();
      return file;
    } finally {
      // The next one takes this place.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function tooLarge(): InvalidInputError {
  return new InvalidInputError(`The files are not accepted: they have more than ${maxBytes / megabyte} MB together`, {
    code: 'FILE_NOT_ACCEPTED',
  });
}
