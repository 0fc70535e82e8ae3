const greatestKept = 1_000;

/** Names of spans, `operation subject`: the same string each time, as there are many spans, and few names. */
export function spanNames(operation: string): (subject: string) => string {
  const names = new Map<string, string>();
  return (subject) => {
    const known = names.get(subject);
    if (known !== undefined) return known;
    const name = `${operation} ${subject}`;
    if (names.size < greatestKept) names.set(subject, name);
    return name;
  };
}
