/**
 * The text of `schema/` for another schema. The SQL there names the schema `halyard`, so that it
 * can be read and tried as it is; no object and no string of it has this word as its name, except
 * before a colon, in the ids of workflows.
 *
 * @param schema quoted, as `quotedSchema` returns it.
 */
export function inSchema(text: string, schema: string): string {
  return text.replaceAll(/\bhalyard\b(?!:)/g, schema);
}
