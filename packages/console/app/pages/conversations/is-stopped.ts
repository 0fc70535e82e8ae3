/** Whether the mark at the end of an incomplete reply says that a person stopped it. */
export function isStopped(part: object): boolean {
  const { providerMetadata } = part as { readonly providerMetadata?: Readonly<Record<string, { stopped?: unknown }>> };
  return providerMetadata?.['halyard']?.stopped === true;
}
