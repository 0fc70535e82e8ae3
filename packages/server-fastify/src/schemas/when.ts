/** JSON Schema's conditional: what fits `condition` must fit `holds`, what does not must fit `otherwise`. */
export function when(condition: object, holds: object, otherwise: object = {}): object {
  // eslint-disable-next-line unicorn/no-thenable -- the word of JSON Schema; nobody awaits a schema
  return { if: condition, then: holds, else: otherwise };
}
