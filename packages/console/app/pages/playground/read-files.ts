import type { FileUIPart } from 'ai';

/** The server accepts requests up to 8 MiB, and files grow by a third in them. */
const maxBytes = 5 * 1024 * 1024;

/** @throws Error if the files are too large together. */
export async function readFiles(files: readonly File[], before: readonly FileUIPart[]): Promise<readonly FileUIPart[]> {
  const known = before.reduce((sum, { url }) => sum + (url.length * 3) / 4, 0);
  if (files.reduce((sum, { size }) => sum + size, known) > maxBytes)
    throw new Error('The files are too large: at most 5 MB can be sent with one message.');
  return Promise.all(files.map(toPart));
}

async function toPart(file: File): Promise<FileUIPart> {
  const mediaType = file.type === '' ? 'application/octet-stream' : file.type;
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(new Error(`${file.name} could not be read.`)));
    reader.readAsDataURL(file);
  });
  return { type: 'file', mediaType, filename: file.name, url };
}
