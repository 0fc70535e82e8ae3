const greatestKept = 1_000;
const names = new Map<string, Map<string, string>>();

/** `operation subject`, the same string each time: there are many spans, and few names. */
export function spanName(operation: string, subject: string): string {
  const known = names.get(operation)?.get(subject);
  if (known !== undefined) return known;
  const name = `${operation} ${subject}`;
  const ofOperation = names.get(operation);
  if (ofOperation === undefined) names.set(operation, new Map([[subject, name]]));
  else if (ofOperation.size < greatestKept) ofOperation.set(subject, name);
  return name;
}
