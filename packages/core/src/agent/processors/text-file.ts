import type { TextPass } from './bound-processor.ts';
import { passText } from './text-channel.ts';

/** Whether models read files of this type as text. */
export function isTextFile(mediaType: string | undefined): boolean {
  return mediaType !== undefined && textTypes.test(mediaType);
}

const textTypes = /^text\b|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|sql|rtf|toml)\b/i;

/** Passes the content of a text file through processors. @param data base64, or bytes. */
export async function processFile(
  passes: readonly TextPass[],
  data: Uint8Array | string,
): Promise<Uint8Array | string> {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : data;
  const text = new TextDecoder().decode(bytes);
  const passed = await passText(passes, text);
  return passed === text ? data : Buffer.from(passed).toString('base64');
}
