/** As much of an unfinished JSON text as can be read; undefined when nothing can. */
export async function parsePartial(text: string): Promise<unknown> {
  const { parsePartialJson } = await import('ai');
  return (await parsePartialJson(text)).value;
}
