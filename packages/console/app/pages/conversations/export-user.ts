import { apiUrl, clientHeader, credentialHeaders, receiveFailure } from '../../api/client.ts';
import { exportPath } from './memory-api.ts';

/**
 * All data of a user as JSON Lines: one record per line.
 *
 * @param onProgress gets the number of records so far.
 * @throws ApiError if the server refuses, Error if the export stops before its end.
 */
export async function exportUser(
  userId: string,
  { onProgress, signal }: { readonly onProgress: (records: number) => void; readonly signal: AbortSignal },
): Promise<Blob> {
  const response = await fetch(apiUrl + exportPath(userId), {
    headers: { ...credentialHeaders(), ...clientHeader },
    signal,
  });
  if (!response.ok || response.body === null) throw receiveFailure(await response.json().catch(() => null), response);
  const lines: string[] = [];
  let rest = '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      // A comment keeps the connection open.
      if (!event.startsWith('data: ')) continue;
      const json = event.slice('data: '.length);
      const record = JSON.parse(json) as { readonly type: string; readonly error?: string };
      if (record.type === 'error') throw new Error(record.error ?? 'The export stopped');
      lines.push(`${json}\n`);
    }
    onProgress(lines.length);
  }
  return new Blob(lines, { type: 'application/jsonl' });
}

/** Lets the browser save a file. */
export function saveFile(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
