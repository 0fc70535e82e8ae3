import { innerSchemas, isJson, type Json } from './schema-keywords.ts';

/** The base of relative ids. Nothing is requested from it. */
const rootBase = 'https://schema.invalid/';

/** The schema that a reference leads to, and its JSON pointer from the root. */
export interface ReferenceTarget {
  readonly pointer: string;
  readonly schema: Json | boolean;
}

interface Uri {
  readonly resource: string;
  readonly fragment: string;
}

/**
 * Resolves the references of a JSON Schema to places inside it: pointers, ids and anchors of
 * draft-07 and every later draft.
 *
 * `@apidevtools/json-schema-ref-parser` resolves pointers only, and would leave references to ids
 * and anchors, which schema libraries generate, without a target.
 */
export class SchemaReferences {
  readonly #root: Json;
  /** The URI of the schema that is or contains the one at a pointer. */
  readonly #bases = new Map<string, string>();
  /** The pointers of schemas with an id, by their URIs. */
  readonly #resources = new Map<string, string>();
  /** The pointers of anchors, by their URIs with `#`. */
  readonly #anchors = new Map<string, string>();
  readonly #dynamicAnchors = new Set<string>();

  constructor(root: Json) {
    this.#root = root;
    this.#resources.set(rootBase, '');
    this.#collect(root, '', rootBase);
  }

  /**
   * The target of a reference in the schema at `pointer`; undefined if the root does not contain
   * it.
   *
   * @param keyword `$ref`, `$dynamicRef` or `$recursiveRef`.
   */
  target(keyword: string, reference: unknown, pointer: string): ReferenceTarget | undefined {
    const uri = toUri(reference, this.#findBase(pointer));
    if (uri === undefined) return undefined;
    // Values are validated from the root on, so a dynamic anchor of the root precedes those further
    // inside.
    const outermost = { ...uri, resource: this.#findBase('') };
    const isDynamic = [uri, outermost].every((place) => this.#dynamicAnchors.has(toAnchor(place)));
    const place = this.#toPointer(keyword !== '$ref' && isDynamic ? outermost : uri);
    return place === undefined ? undefined : this.#find(place);
  }

  #collect(schema: Json, pointer: string, outerBase: string): void {
    const { $anchor, $dynamicAnchor, $id, $recursiveAnchor } = schema;
    const id = toUri($id, outerBase);
    const base = id?.fragment === '' ? id.resource : outerBase;
    this.#bases.set(pointer, base);
    if (id !== undefined) {
      // In draft-07, an id with a fragment is an anchor.
      if (id.fragment === '') keepFirst(this.#resources, base, pointer);
      else keepFirst(this.#anchors, toAnchor(id), pointer);
    }
    for (const anchor of [$anchor, $dynamicAnchor])
      if (typeof anchor === 'string') keepFirst(this.#anchors, `${base}#${anchor}`, pointer);
    if (typeof $dynamicAnchor === 'string') this.#dynamicAnchors.add(`${base}#${$dynamicAnchor}`);
    if ($recursiveAnchor === true) this.#dynamicAnchors.add(`${base}#`);
    for (const [, place, inner] of innerSchemas(schema, pointer)) this.#collect(inner, place, base);
  }

  #findBase(pointer: string): string {
    const base = this.#bases.get(pointer);
    // References may lead to places that are schemas only because of them.
    return base ?? (pointer === '' ? rootBase : this.#findBase(pointer.slice(0, pointer.lastIndexOf('/'))));
  }

  #toPointer(uri: Uri): string | undefined {
    const { fragment, resource } = uri;
    if (fragment !== '' && !fragment.startsWith('/')) return this.#anchors.get(toAnchor(uri));
    const root = this.#resources.get(resource);
    return root === undefined ? undefined : root + fragment;
  }

  #find(pointer: string): ReferenceTarget | undefined {
    let value: unknown = this.#root;
    for (const segment of pointer.split('/').slice(1)) {
      const name = segment.replaceAll('~1', '/').replaceAll('~0', '~');
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
      value = (value as Json)[name];
    }
    return isJson(value) || typeof value === 'boolean' ? { pointer, schema: value } : undefined;
  }
}

function toUri(reference: unknown, base: string): Uri | undefined {
  if (typeof reference !== 'string') return undefined;
  try {
    const url = new URL(reference, base);
    const fragment = decodeURIComponent(url.hash.slice(1));
    url.hash = '';
    return { resource: url.href, fragment };
  } catch {
    return undefined;
  }
}

function toAnchor({ fragment, resource }: Uri): string {
  return `${resource}#${fragment}`;
}

function keepFirst(map: Map<string, string>, key: string, value: string): void {
  if (!map.has(key)) map.set(key, value);
}
