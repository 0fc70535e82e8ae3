/**
 * The longest {@link isExternalId external id}, in Unicode code points: JSON Schema's `maxLength`
 * counts them too.
 */
export const maxExternalIdLength = 256;

/**
 * Whether a text can be the id of a user, a resource or a tenant. Such ids come from identity
 * providers and apps: `auth0|507f`, `ada@example.org`, `org/7`.
 *
 * An id has 1 to 256 Unicode code points, none of them a control character or half of a surrogate
 * pair. It is not `.` or `..`, which clients and proxies resolve in a path, even percent-encoded.
 * Ids are compared by code point: two that differ only in case or normalisation are two users.
 */
export function isExternalId(id: string): boolean {
  return externalId.test(id);
}

const externalId = new RegExp(String.raw`^(?!\.{1,2}$)[^\p{Cc}\p{Cs}]{1,${maxExternalIdLength}}$`, 'u');
