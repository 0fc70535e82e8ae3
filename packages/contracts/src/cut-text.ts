/**
 * The first `maxLength` characters of a text, as a copy.
 *
 * Use it for text that is stored: the result of `slice` shares the memory of the whole text, which
 * is then kept as long as the slice.
 */
export function cutText(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : structuredClone(text.slice(0, Math.max(maxLength, 0)));
}
