/** As much as the Halyard server accepts. */
const defaultMaxBytes = 8 * 1024 * 1024;

/**
 * The body of a request; undefined if it is larger, so that nobody can fill the memory of this
 * process.
 */
export async function readBody(
  { body }: Pick<Request, 'body'>,
  maxBytes: number = defaultMaxBytes,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > maxBytes) {
      await reader?.cancel();
      return undefined;
    }
    parts.push(part.value);
  }
  return Buffer.concat(parts);
}
