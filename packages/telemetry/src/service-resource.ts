import type { Attributes } from '@halyard/contracts';

/**
 * The service attributes of a span's resource. Other attributes of an SDK's resource, such as
 * command lines, are only exported.
 */
export function serviceResource(span: object, fallback: Attributes): Attributes {
  const resource = readResource(span);
  if (resource === undefined) return fallback;
  const known = cache.get(resource);
  if (known !== undefined) return known;

  const service = Object.entries(resource.attributes).filter(([name]) => /^(service|deployment)\./.test(name));
  const result: Attributes = { ...fallback, ...Object.fromEntries(service) };
  cache.set(resource, result);
  return result;
}

const cache = new WeakMap<object, Attributes>();

/** Spans of the SDK have a resource, but the type of the API does not include it. */
function readResource(span: object): { readonly attributes: object } | undefined {
  if (!('resource' in span) || typeof span.resource !== 'object' || span.resource === null) return undefined;
  const { resource } = span;
  return 'attributes' in resource && typeof resource.attributes === 'object' && resource.attributes !== null
    ? (resource as { attributes: object })
    : undefined;
}
