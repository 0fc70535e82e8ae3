/** The value of an incomplete JSON text as far as it can be parsed; undefined when it cannot. */
export async function parsePartial(text: string): Promise<unknown> {
  const { parsePartialJson } = await import('ai');
  return (await parsePartialJson(text)).value;
}
