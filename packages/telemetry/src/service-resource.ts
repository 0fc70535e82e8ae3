import type { Attributes } from '@halyard/contracts';

/** What each span's record says of where it ran. The rest of an SDK's resource, such as command lines, goes to collectors only. */
export function serviceResource(span: object, fallback: Attributes): Attributes {
  const resource = resourceOf(span);
  if (resource === undefined) return fallback;
  const known = made.get(resource);
  if (known !== undefined) return known;

  const said = Object.entries(resource.attributes).filter(([name]) => /^(service|deployment)\./.test(name));
  const result: Attributes = { ...fallback, ...Object.fromEntries(said) };
  made.set(resource, result);
  return result;
}

const made = new WeakMap<object, Attributes>();

/** A span of an SDK has a resource; the API does not promise it. */
function resourceOf(span: object): { readonly attributes: object } | undefined {
  if (!('resource' in span) || typeof span.resource !== 'object' || span.resource === null) return undefined;
  const { resource } = span;
  return 'attributes' in resource && typeof resource.attributes === 'object' && resource.attributes !== null
    ? (resource as { attributes: object })
    : undefined;
}
